/* ending N: starts N threads, one after the other, that do little but end. */
#include <pthread.h>
#include <stdlib.h>

static void *end(void *unused)
{
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t thread;
	for (int i = argc > 1 ? atoi(argv[1]) : 0; i > 0; i--)
		if (pthread_create(&thread, NULL, end, NULL) || pthread_join(thread, NULL))
			return 1;
	return 0;
}
