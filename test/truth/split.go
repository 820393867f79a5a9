// Ways to spend time in Go: arithmetic below a chain of calls, a leaf in assembly that two functions call, sort.Sort
// that calls back, a map's code in the runtime. One thread measures itself, as turns.h does for C.
//
//	PROGRAM TRUTH [SECONDS]
package main

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"sort"
	"strconv"
	"syscall"
	"unsafe"
)

var sink uint64

//go:noinline
func add(rounds int) {
	sum := sink
	for i := 0; i < rounds; i++ {
		sum += uint64(i) ^ sum<<1 // the hottest line
	}
	sink = sum
}

//go:noinline
func descend(depth, rounds int) {
	var local [48]byte
	local[depth%48] = byte(depth)
	if depth > 0 {
		descend(depth-1, rounds)
	} else {
		add(rounds)
	}
	sink += uint64(local[(depth+int(sink&1))%48])
}

//go:noinline
func sums(rounds int) {
	descend(20, rounds)
	sink++
}

var from, to [1 << 16]byte

//go:noinline
func often(rounds int) {
	for i := 0; i < rounds; i++ {
		copy(to[:len(to)-int(sink&1)], from[:])
	}
	sink++
}

//go:noinline
func rarely(rounds int) {
	for i := 0; i < rounds; i++ {
		copy(to[:len(to)-int(sink&1)], from[:])
	}
	sink += 2
}

type numbers []uint32

func (n numbers) Len() int           { return len(n) }
func (n numbers) Swap(i, j int)      { n[i], n[j] = n[j], n[i] }
func (n numbers) Less(i, j int) bool { return n[i] < n[j] }

var kept = make(numbers, 4096)

//go:noinline
func sorts(rounds int) {
	list := kept[:min(rounds, len(kept))]
	for i := range list {
		list[i] = (uint32(i) + uint32(sink)) * 2654435761
	}
	sort.Sort(list)
	sink += uint64(list[0])
}

func min(a, b int) int {
	if a < b {
		return a
	}
	return b
}

var counts = make(map[uint64]uint64, 1<<12)

//go:noinline
func maps(rounds int) {
	for i := 0; i < rounds; i++ {
		counts[uint64(i*2654435761)%4096]++
	}
	sink++
}

type part struct {
	name   string
	weight int
	rounds int
	run    func(rounds int)
	used   int64
}

const threadCPUTime = 3 // CLOCK_THREAD_CPUTIME_ID

func now() int64 {
	var t syscall.Timespec
	syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, threadCPUTime, uintptr(unsafe.Pointer(&t)), 0)
	return t.Nano()
}

var state = uint32(2463534242)

func random() uint32 {
	state ^= state << 13
	state ^= state >> 17
	state ^= state << 5
	return state
}

func takeTurns(parts []part, limit int64) {
	var deck []int
	for i := range parts {
		for k := 0; k < parts[i].weight; k++ {
			deck = append(deck, i)
		}
	}
	for now() < limit {
		for i := len(deck) - 1; i > 0; i-- {
			other := int(random()) & 0xffff % (i + 1)
			deck[i], deck[other] = deck[other], deck[i]
		}
		for _, i := range deck {
			rounds := parts[i].rounds * int(512+random()%1024) / 1024
			start := now()
			parts[i].run(rounds)
			parts[i].used += now() - start
		}
	}
}

func main() {
	runtime.LockOSThread()
	debug.SetGCPercent(-1)
	seconds := 60
	if len(os.Args) > 2 {
		seconds, _ = strconv.Atoi(os.Args[2])
	}
	for i := range from {
		from[i] = byte(i)
	}
	parts := []part{
		{"sums", 6, 200000, sums, 0},
		{"often", 7, 100, often, 0},
		{"rarely", 3, 100, rarely, 0},
		{"sorts", 3, 2000, sorts, 0},
		{"maps", 2, 20000, maps, 0},
	}
	takeTurns(parts, int64(seconds)*1e9)
	out, err := os.Create(os.Args[1])
	if err != nil {
		os.Exit(1)
	}
	for i := range parts {
		fmt.Fprintln(out, parts[i].name, parts[i].used)
	}
	out.Close()
}
