import java.util.*;
import java.util.stream.*;

/** Streams, maps, strings and recursion for as many seconds as it is told, with many compiled methods. */
public class Mix {
	static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }

	static long words(Random random) {
		Map<String, Integer> counts = new HashMap<>();
		for (int i = 0; i < 20000; i++)
			counts.merge("word" + random.nextInt(3000), 1, Integer::sum);
		return counts.entrySet().stream().sorted(Map.Entry.comparingByValue(Comparator.reverseOrder()))
			.limit(100).mapToLong(e -> e.getKey().hashCode() + e.getValue()).sum();
	}

	static long text(Random random) {
		String s = IntStream.range(0, 5000).mapToObj(i -> Integer.toHexString(random.nextInt()))
			.collect(Collectors.joining(","));
		return Arrays.stream(s.split(",")).map(String::toUpperCase).distinct().count();
	}

	public static void main(String[] arguments) {
		long end = System.nanoTime() + Long.parseLong(arguments[0]) * 1_000_000_000L, sum = 0;
		Random random = new Random(1);
		while (System.nanoTime() < end)
			sum += fib(24) + words(random) + text(random);
		System.out.println(sum);
	}
}
