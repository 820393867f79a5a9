// The same as turns.h and split.c for Java: java Split TRUTH. It warms up for two seconds, says `ready`, and ends when it
// is told to (SIGTERM). The parts are called through an interface with four classes, so that the compiler
// does not make them part of their caller: a map of addresses knows no inlined methods.
import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

public class Split {
	interface Part {
		void run(int rounds);
	}

	static long sink = 1;
	static final int[] numbers = new int[4096];

	static class Sums implements Part {
		public void run(int rounds) {
			long sum = sink;
			for (int i = 0; i < rounds; i++)
				sum += i ^ (sum << 1);
			sink = sum;
		}
	}

	static class Sorts implements Part {
		void sift(int root, int end) {
			for (int child = 2 * root + 1; child < end; root = child, child = 2 * root + 1) {
				if (child + 1 < end && numbers[child] < numbers[child + 1])
					child++;
				if (numbers[root] >= numbers[child])
					return;
				int other = numbers[root];
				numbers[root] = numbers[child];
				numbers[child] = other;
			}
		}

		public void run(int rounds) {
			int count = Math.min(rounds, numbers.length);
			for (int i = 0; i < count; i++)
				numbers[i] = (int) ((i + sink) * 2654435761L);
			for (int i = count / 2; i-- > 0;)
				sift(i, count);
			for (int end = count - 1; end > 0; end--) {
				int top = numbers[0];
				numbers[0] = numbers[end];
				numbers[end] = top;
				sift(0, end);
			}
		}
	}

	static class Texts implements Part {
		public void run(int rounds) {
			StringBuilder text = new StringBuilder();
			for (int i = 0; i < rounds; i++)
				text.append(i * sink).append(' ');
			sink += text.toString().hashCode();
		}
	}

	static class Divides implements Part {
		public void run(int rounds) {
			long sum = sink | 1;
			for (int i = 0; i < rounds; i++)
				sum = Long.MAX_VALUE / (sum & 0xffff | 1) + i;
			sink = sum;
		}
	}

	static class Turns {
		final String name;
		final int rounds;
		final Part part;
		long used;

		Turns(String name, int weight, int rounds, Part part) {
			this.name = name;
			this.rounds = rounds;
			this.part = part;
			for (int i = 0; i < weight; i++)
				deck.add(this);
		}

		void take() {
			int now = (int) (rounds * (0.5 + random.nextDouble()));
			long start = clock.getCurrentThreadCpuTime();
			part.run(now);
			used += clock.getCurrentThreadCpuTime() - start;
		}
	}

	static final List<Turns> deck = new ArrayList<>();
	static final Random random = new Random(1);
	static final ThreadMXBean clock = ManagementFactory.getThreadMXBean();
	static volatile boolean over;

	static void takeTurnsUntil(long seconds) {
		while (!over && clock.getCurrentThreadCpuTime() < seconds * 1_000_000_000L) {
			Collections.shuffle(deck, random);
			for (Turns turns : deck)
				turns.take();
		}
	}

	public static void main(String[] arguments) throws Exception {
		Thread main = Thread.currentThread();
		Runtime.getRuntime().addShutdownHook(new Thread(() -> {
			over = true;
			try {
				main.join();
			} catch (InterruptedException e) {
				main.interrupt();
			}
		}));
		Turns[] all = { new Turns("Sums", 8, 200000, new Sums()), new Turns("Sorts", 6, 2600, new Sorts()),
			new Turns("Texts", 3, 6000, new Texts()), new Turns("Divides", 3, 40000, new Divides()) };
		takeTurnsUntil(2);
		for (Turns turns : all)
			turns.used = 0;
		System.out.println("ready");
		takeTurnsUntil(60);
		try (PrintWriter out = new PrintWriter(arguments[0])) {
			for (Turns turns : all)
				out.println(turns.name + " " + turns.used);
		}
	}
}
