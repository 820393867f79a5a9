// What C++ stacks look like: templates, lambdas, std::function, operators, anonymous namespaces, deep recursion.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <regex>
#include <sstream>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

namespace
{
struct node {
	std::map<std::string, std::unique_ptr<node>> children;
	std::variant<long, double, std::string> value;
};

template <typename T, typename F> auto fold_over(const std::vector<T> &items, F &&f)
{
	return std::accumulate(items.begin(), items.end(), decltype(f(items[0]))(),
			       [&](auto sum, const T &item) { return sum + f(item); });
}

template <typename Key> struct by_length {
	bool operator()(const Key &a, const Key &b) const
	{
		return a.size() != b.size() ? a.size() < b.size() : a < b;
	}
};

std::unique_ptr<node> grow(int depth, unsigned &seed)
{
	auto n = std::make_unique<node>();
	for (int i = 0; depth && i < 4; i++) {
		seed = seed * 1103515245 + 12345;
		n->children["key" + std::to_string(seed % 1000)] = grow(depth - 1, seed);
	}
	n->value = depth % 2 ? std::variant<long, double, std::string>(long(seed)) : std::to_string(seed);
	return n;
}

size_t weigh(const node &n)
{
	size_t sum = std::visit([](const auto &v) -> size_t { return sizeof(v); }, n.value);
	for (const auto &[key, child] : n.children)
		sum += key.size() + weigh(*child);
	return sum;
}

std::string print(const node &n, const std::function<std::string(const std::string &)> &quote)
{
	std::ostringstream out;
	for (const auto &[key, child] : n.children)
		out << quote(key) << ':' << print(*child, quote) << ',';
	return "{" + out.str() + "}";
}

// How many rounds it has done, where somebody asks.
void tell_round(double round)
{
	static const char *file = std::getenv("ROUNDS_FILE");
	static int fd = file ? open(file, O_WRONLY | O_CREAT | O_TRUNC, 0666) : -1;
	if (fd >= 0 && pwrite(fd, &round, sizeof(round), 0) < 0)
		close(fd);
}

// What it used, in ms, where somebody asks.
void tell_used()
{
	rusage used{};
	getrusage(RUSAGE_SELF, &used);
	auto ms = [](timeval t) { return double(t.tv_sec) * 1e3 + double(t.tv_usec) / 1e3; };
	if (const char *file = std::getenv("USED_FILE"))
		std::ofstream(file) << ms(used.ru_utime) + ms(used.ru_stime) << '\n';
}
} // namespace

int main(int argc, char **argv)
{
	double seconds = argc > 1 ? std::atof(argv[1]) : 1;
	unsigned seed = argc > 2 ? unsigned(std::atoi(argv[2])) : 1;
	long rounds = argc > 3 ? std::atol(argv[3]) : -1; // the same work each time, whatever it takes
	auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
	size_t sum = 0;
	double done = 0;
	while (rounds-- != 0 && std::chrono::steady_clock::now() < end) {
		auto tree = grow(5 + int(seed % 3), seed);
		sum += weigh(*tree);
		auto text = print(*tree, [](const std::string &s) { return "\"" + s + "\""; });
		std::regex word("\"([a-z]+)([0-9]+)\"");
		std::vector<std::string> words;
		for (std::sregex_iterator i(text.begin(), text.begin() + long(std::min<size_t>(text.size(), 4000)), word), last;
		     i != last; ++i)
			words.push_back((*i)[2]);
		std::sort(words.begin(), words.end(), by_length<std::string>());
		std::unordered_map<std::string, int> counts;
		for (const auto &w : words)
			counts[w]++;
		sum += fold_over(words, [&](const std::string &w) { return size_t(counts[w]); });
		tell_round(++done);
	}
	tell_used();
	return sum == 0;
}
