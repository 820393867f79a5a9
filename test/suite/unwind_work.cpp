// Work for unwind.sh: everything that makes stacks hard to unwind without frame pointers: recursion,
// virtual calls, exceptions, callbacks from libraries, aligned and growing frames, and a signal handler
// that interrupts all of it.
//	unwind_work ROUNDS
#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <sys/time.h>
#include <vector>

#define OWN_FRAME __attribute__((noinline))

static volatile double result;

OWN_FRAME static double burn(int n)
{
	double x = 1;
	for (int i = 0; i < n; i++)
		x = std::sin(x) + i;
	return x;
}

static void on_timer(int)
{
	result = burn(20000);
}

struct shape {
	virtual ~shape() {}
	virtual double area() const = 0;
};

struct circle : shape {
	double radius;
	circle(double r) : radius(r) {}
	OWN_FRAME double area() const override { return radius * radius * 3.14 + burn(50); }
};

struct group : shape {
	std::vector<std::unique_ptr<shape>> parts;
	OWN_FRAME double area() const override
	{
		double sum = 0;
		for (auto &part : parts)
			sum += part->area();
		return sum;
	}
};

static std::unique_ptr<shape> make_group(int depth)
{
	auto g = std::make_unique<group>();
	for (int i = 0; i < 3; i++)
		if (depth > 0)
			g->parts.push_back(make_group(depth - 1));
		else
			g->parts.push_back(std::make_unique<circle>(i));
	return g;
}

OWN_FRAME static int recurse(int n, const char *above)
{
	char local[40];
	memset(local, n, sizeof(local));
	if (n == 0)
		result = burn(3000);
	int below = n ? recurse(n - 1, local) : 0;
	return below + local[5] + (above ? above[0] : 0);
}

OWN_FRAME static void throw_from(int depth)
{
	if (depth == 0)
		throw std::runtime_error("deep");
	std::string text(depth, 'a');
	throw_from(depth - 1);
	result = text.size();
}

OWN_FRAME static int catch_all()
{
	int caught = 0;
	for (int i = 0; i < 30; i++)
		try {
			throw_from(i);
		} catch (const std::exception &e) {
			caught += e.what()[0];
		}
	return caught;
}

OWN_FRAME static void sort_texts()
{
	std::vector<std::string> texts;
	std::map<std::string, int> counts;
	for (int i = 0; i < 3000; i++)
		texts.push_back(std::to_string(i * 7919 % 10007));
	std::sort(texts.begin(), texts.end(),
		  [](const std::string &a, const std::string &b) { return a < b; });
	for (auto &text : texts)
		counts[text]++;
	result = counts.size();
}

OWN_FRAME static double aligned_frame(int n)
{
	alignas(64) double values[64];
	int size = n * 16;
	char *grown = (char *)__builtin_alloca(size);
	memset(grown, 1, size);
	for (int i = 0; i < 64; i++)
		values[i] = burn(20) + grown[i % size];
	double sum = 0;
	for (double value : values)
		sum += value;
	return sum;
}

static int compare(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b + (burn(3) > 1e9);
}

OWN_FRAME static void sort_numbers()
{
	int numbers[500];
	for (int i = 0; i < 500; i++)
		numbers[i] = i * 7919 % 503;
	qsort(numbers, 500, sizeof(*numbers), compare);
	result = numbers[3];
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 300;
	struct sigaction action = {};
	action.sa_handler = on_timer;
	sigaction(SIGALRM, &action, nullptr);
	struct itimerval every = { { 0, 5000 }, { 0, 5000 } };
	setitimer(ITIMER_REAL, &every, nullptr);
	auto root = make_group(5);
	std::function<double(int)> nested = [&](int n) -> double {
		return n ? nested(n - 1) + 1 : root->area();
	};
	for (int i = 0; i < rounds; i++) {
		result = nested(i % 5);
		recurse(20 + i % 5 * 60, nullptr);
		catch_all();
		sort_texts();
		result = aligned_frame(4 + i % 9);
		sort_numbers();
	}
	printf("%f\n", result);
}
