#include "record/known_processes.h"

void known_processes_init(struct known_processes *t)
{
	pthread_mutex_init(&t->lock, NULL);
}

void known_processes_fini(struct known_processes *t)
{
	for (uint32_t i = 0; i < t->list.n; i++)
		free(t->list.p[i]);
	for (uint32_t i = 0; i < t->gone.n; i++)
		free(t->gone.p[i]);
	vec_fini(&t->list);
	vec_fini(&t->met);
	vec_fini(&t->gone);
	index_map_fini(&t->map);
	pthread_mutex_destroy(&t->lock);
}

static bool pid_equal(const void *list, uint32_t i, const void *pid)
{
	return ((struct known_process *const *)list)[i]->pid == *(const int32_t *)pid;
}

static uint32_t hash_of(int32_t pid)
{
	return hash_pair((uint32_t)pid, 0);
}

static struct known_process *find(struct known_processes *t, int32_t pid)
{
	uint32_t i = index_map_find(&t->map, hash_of(pid), pid_equal, t->list.p, &pid);
	return i == INDEX_NONE ? NULL : t->list.p[i];
}

static void add(struct known_processes *t, struct known_process *p)
{
	index_map_add(&t->map, hash_of(p->pid), t->list.n);
	vec_push(&t->list, p);
}

struct known_process *known_processes_find(struct known_processes *t, int32_t pid)
{
	pthread_mutex_lock(&t->lock);
	struct known_process *p = find(t, pid);
	pthread_mutex_unlock(&t->lock);
	return p;
}

struct known_process *known_processes_get(struct known_processes *t, int32_t pid)
{
	pthread_mutex_lock(&t->lock);
	struct known_process *p = find(t, pid);
	if (!p) {
		p = mem_zalloc(1, sizeof(*p));
		p->pid = pid;
		add(t, p);
	}
	pthread_mutex_unlock(&t->lock);
	return p;
}

void known_processes_forget(struct known_processes *t)
{
	pthread_mutex_lock(&t->lock);
	uint32_t known = t->list.n;
	index_map_clear(&t->map);
	t->list.n = 0;
	for (uint32_t i = 0; i < known; i++) {
		struct known_process *p = t->list.p[i];
		if (p->is_forgotten)
			vec_push(&t->gone, p);
		else
			add(t, p);
	}
	pthread_mutex_unlock(&t->lock);
}

struct known_process *known_processes_take_gone(struct known_processes *t)
{
	pthread_mutex_lock(&t->lock);
	struct known_process *p = t->gone.n ? t->gone.p[--t->gone.n] : NULL;
	pthread_mutex_unlock(&t->lock);
	return p;
}
