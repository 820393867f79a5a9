"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.until = exports.hotLoop = exports.Grid = void 0;
class Grid {
    constructor(size) {
        this.size = size;
        this.cells = [];
        for (let i = 0; i < size; i++)
            this.cells.push({ weight: i % 7 });
    }
    sumCells(factor) {
        let total = 0;
        for (const cell of this.cells)
            total += cell.weight * factor;
        return total;
    }
}
exports.Grid = Grid;
const scaleWork = (value) => Math.sqrt(value) + 1;
const asyncWork = async (value) => scaleWork(value);
function hotLoop(grid, rounds) {
    let sum = 0;
    for (let i = 0; i < rounds; i++)
        sum += scaleWork(grid.sumCells(i));
    return sum;
}
exports.hotLoop = hotLoop;
// Seconds of CPU time: the machine may be busy with others.
function until(seconds) {
    const grid = new Grid(500);
    let sum = 0;
    while (process.cpuUsage().user < seconds * 1e6)
        sum += hotLoop(grid, 2000);
    void asyncWork(sum);
    return sum;
}
exports.until = until;
//# sourceMappingURL=data:application/json;base64,eyJ2ZXJzaW9uIjozLCJmaWxlIjoiZ3JpZC5qcyIsInNvdXJjZVJvb3QiOiIiLCJzb3VyY2VzIjpbIi4uL2dyaWQudHMiXSwibmFtZXMiOltdLCJtYXBwaW5ncyI6Ijs7O0FBR0EsTUFBYSxJQUFJO0lBT2YsWUFBcUIsSUFBWTtRQUFaLFNBQUksR0FBSixJQUFJLENBQVE7UUFOaEIsVUFBSyxHQUFXLEVBQUUsQ0FBQztRQU9sQyxLQUFLLElBQUksQ0FBQyxHQUFHLENBQUMsRUFBRSxDQUFDLEdBQUcsSUFBSSxFQUFFLENBQUMsRUFBRTtZQUFFLElBQUksQ0FBQyxLQUFLLENBQUMsSUFBSSxDQUFDLEVBQUUsTUFBTSxFQUFFLENBQUMsR0FBRyxDQUFDLEVBQUUsQ0FBQyxDQUFDO0lBQ3BFLENBQUM7SUFQRCxRQUFRLENBQUMsTUFBYztRQUNyQixJQUFJLEtBQUssR0FBRyxDQUFDLENBQUM7UUFDZCxLQUFLLE1BQU0sSUFBSSxJQUFJLElBQUksQ0FBQyxLQUFLO1lBQUUsS0FBSyxJQUFJLElBQUksQ0FBQyxNQUFNLEdBQUcsTUFBTSxDQUFDO1FBQzdELE9BQU8sS0FBSyxDQUFDO0lBQ2YsQ0FBQztDQUlGO0FBVkQsb0JBVUM7QUFDRCxNQUFNLFNBQVMsR0FBRyxDQUFDLEtBQWEsRUFBVSxFQUFFLENBQUMsSUFBSSxDQUFDLElBQUksQ0FBQyxLQUFLLENBQUMsR0FBRyxDQUFDLENBQUM7QUFDbEUsTUFBTSxTQUFTLEdBQUcsS0FBSyxFQUFFLEtBQWEsRUFBbUIsRUFBRSxDQUFDLFNBQVMsQ0FBQyxLQUFLLENBQUMsQ0FBQztBQUM3RSxTQUFnQixPQUFPLENBQUMsSUFBVSxFQUFFLE1BQWM7SUFDaEQsSUFBSSxHQUFHLEdBQUcsQ0FBQyxDQUFDO0lBQ1osS0FBSyxJQUFJLENBQUMsR0FBRyxDQUFDLEVBQUUsQ0FBQyxHQUFHLE1BQU0sRUFBRSxDQUFDLEVBQUU7UUFBRSxHQUFHLElBQUksU0FBUyxDQUFDLElBQUksQ0FBQyxRQUFRLENBQUMsQ0FBQyxDQUFDLENBQUMsQ0FBQztJQUNwRSxPQUFPLEdBQUcsQ0FBQztBQUNiLENBQUM7QUFKRCwwQkFJQztBQUNELDREQUE0RDtBQUM1RCxTQUFnQixLQUFLLENBQUMsT0FBZTtJQUNuQyxNQUFNLElBQUksR0FBRyxJQUFJLElBQUksQ0FBQyxHQUFHLENBQUMsQ0FBQztJQUMzQixJQUFJLEdBQUcsR0FBRyxDQUFDLENBQUM7SUFDWixPQUFPLE9BQU8sQ0FBQyxRQUFRLEVBQUUsQ0FBQyxJQUFJLEdBQUcsT0FBTyxHQUFHLEdBQUc7UUFBRSxHQUFHLElBQUksT0FBTyxDQUFDLElBQUksRUFBRSxJQUFJLENBQUMsQ0FBQztJQUMzRSxLQUFLLFNBQVMsQ0FBQyxHQUFHLENBQUMsQ0FBQztJQUNwQixPQUFPLEdBQUcsQ0FBQztBQUNiLENBQUM7QUFORCxzQkFNQyJ9