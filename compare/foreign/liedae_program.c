/* See liedae_program.h. Numbers go over the pipes as they are in memory: IEEE doubles, the lowest byte first. */
#define _POSIX_C_SOURCE 200809L
#include "liedae_program.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static int to_liedae = -1;
static double spent, since, reading;

/* Of this thread: where a process has a limit of CPU time, Linux reads the clock of the whole process to a tick only. A solver with
 * threads of its own would have to add theirs. */
static double clock_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* The solver has the word no more, and has it again. */
static void stop_clock(void) {
  double piece = clock_now() - since - reading;
  if (piece > 0.0) spent += piece;
}

static void start_clock(void) { since = clock_now(); }

static void give_up(const char *why) {
  fprintf(stderr, "liedae_program: %s\n", why);
  exit(1);
}

static void write_all(const void *from, size_t count) {
  const char *bytes = from;
  while (count > 0) {
    ssize_t done = write(to_liedae, bytes, count);
    if (done <= 0) give_up("nobody reads");
    bytes += done;
    count -= (size_t)done;
  }
}

static void read_all(void *into, size_t count) {
  char *bytes = into;
  while (count > 0) {
    ssize_t done = read(0, bytes, count);
    if (done <= 0) give_up("nobody writes");
    bytes += done;
    count -= (size_t)done;
  }
}

/* A message from up to four pieces, in one write where that is possible. */
struct piece { const void *from; size_t count; };

static void send(const char *tag, const struct piece *pieces, int count) {
  static char *buffer;
  static size_t room;
  uint32_t length = 0;
  size_t place = 16;
  int i;
  for (i = 0; i < count; i++) length += (uint32_t)pieces[i].count;
  if (room < place + length) {
    room = place + length;
    buffer = realloc(buffer, room);
    if (!buffer) give_up("no memory");
  }
  memcpy(buffer, tag, 4);
  memcpy(buffer + 4, &length, 4);
  memcpy(buffer + 8, &spent, 8);
  for (i = 0; i < count; i++) {
    if (pieces[i].count) memcpy(buffer + place, pieces[i].from, pieces[i].count);
    place += pieces[i].count;
  }
  write_all(buffer, place);
}

/* The header of the answer: its length. 0 in *ok where the equations cannot be evaluated. */
static uint32_t receive(const char *tag, int *ok) {
  char header[16];
  uint32_t length;
  read_all(header, sizeof header);
  memcpy(&length, header + 4, 4);
  *ok = memcmp(header, tag, 4) == 0;
  if (!*ok && memcmp(header, "cant", 4) != 0) give_up("the run was stopped");
  return length;
}

static void skip(uint32_t length) {
  char rest[256];
  while (length > 0) {
    uint32_t part = length < sizeof rest ? length : (uint32_t)sizeof rest;
    read_all(rest, part);
    length -= part;
  }
}

/* An answer of unknown length, in memory that is never freed. */
static void *ask(const char *tag, const void *question, size_t asked, size_t *count) {
  struct piece piece = {question, asked};
  uint32_t length;
  int ok;
  char *answer;
  send(tag, &piece, 1);
  length = receive(tag, &ok);
  answer = calloc((size_t)length + 1, 1);
  if (!answer) give_up("no memory");
  read_all(answer, length);
  if (count) *count = length;
  return answer;
}

static double *ask_numbers(const char *tag, int *count) {
  size_t bytes;
  double *numbers = ask(tag, NULL, 0, &bytes);
  if (count) *count = (int)(bytes / sizeof(double));
  return numbers;
}

void liedae_open(void) {
  double version = 1.0, best = 1.0;
  int i;
  /* What a solver prints must not come between messages. */
  to_liedae = dup(1);
  dup2(2, 1);
  for (i = 0; i < 200; i++) {
    double start = clock_now(), empty = clock_now() - start;
    if (empty < best) best = empty;
  }
  reading = best;
  free(ask("open", &version, sizeof version, NULL));
  start_clock();
}

void liedae_name(const char *what) {
  struct piece piece = {what, strlen(what)};
  stop_clock();
  send("name", &piece, 1);
  start_clock();
}

const char *liedae_option(const char *name) {
  char *value;
  stop_clock();
  value = ask("opti", name, strlen(name), NULL);
  start_clock();
  return value;
}

struct liedae_problem liedae_form(const char *name) {
  struct liedae_problem p;
  double *numbers;
  int count;
  stop_clock();
  numbers = ask("form", name, strlen(name), NULL);
  p.size = (int)numbers[0];
  p.has_jacobian = (int)numbers[1];
  p.implicit = strcmp(name, "ode") != 0;
  numbers = ask_numbers("goal", NULL);
  p.rtol = numbers[0];
  p.atol = numbers[1];
  p.max_steps = (long)numbers[2];
  p.watched = (int)numbers[3];
  p.end = ask_numbers("ends", &p.ends);
  p.sample = ask_numbers("outs", &p.samples);
  numbers = ask_numbers("init", &count);
  p.t = numbers[0];
  p.y = numbers + 1;
  p.rate = p.implicit ? p.y + p.size : NULL;
  p.occurs = ask_numbers("occu", NULL);
  p.index = ask_numbers("indx", NULL);
  start_clock();
  return p;
}

static int call(const char *tag, const struct piece *pieces, int count, double *out, size_t wanted) {
  uint32_t length;
  int ok;
  stop_clock();
  send(tag, pieces, count);
  length = receive(tag, &ok);
  if (ok) {
    if (length != wanted * sizeof(double)) give_up("an answer has another length");
    read_all(out, length);
  } else {
    skip(length);
  }
  start_clock();
  return ok ? 0 : 1;
}

int liedae_evaluate(const struct liedae_problem *p, double t, const double *y, const double *rate, double *out) {
  size_t bytes = (size_t)p->size * sizeof(double);
  struct piece pieces[3] = {{&t, sizeof t}, {y, bytes}, {rate, bytes}};
  return call("eval", pieces, p->implicit ? 3 : 2, out, (size_t)p->size);
}

int liedae_jacobian(const struct liedae_problem *p, double t, double c, const double *y, const double *rate,
                    double *out) {
  size_t bytes = (size_t)p->size * sizeof(double);
  struct piece pieces[4] = {{&t, sizeof t}, {y, bytes}, {rate, bytes}, {&c, sizeof c}};
  return call("jaco", pieces, p->implicit ? 4 : 2, out, (size_t)p->size * (size_t)p->size);
}

void liedae_report(const struct liedae_problem *p, const char *what, double t, const double *y, const double *rate) {
  size_t bytes = (size_t)p->size * sizeof(double);
  struct piece pieces[3] = {{&t, sizeof t}, {y, bytes}, {rate, bytes}};
  stop_clock();
  send(what, pieces, p->implicit ? 3 : 2);
  start_clock();
}

void liedae_work(double t, long accepted, long rejected, long newton, long factorizations, long solves) {
  double numbers[6];
  struct piece piece = {numbers, sizeof numbers};
  stop_clock();
  numbers[0] = t;
  numbers[1] = (double)accepted;
  numbers[2] = (double)rejected;
  numbers[3] = (double)newton;
  numbers[4] = (double)factorizations;
  numbers[5] = (double)solves;
  send("work", &piece, 1);
  start_clock();
}

static void conclude(const char *tag, const char *words) {
  struct piece piece = {words, strlen(words)};
  stop_clock();
  send(tag, &piece, 1);
}

void liedae_done(void) {
  conclude("done", "");
  exit(0);
}

void liedae_fail(const char *why) {
  conclude("fail", why);
  exit(0);
}

void liedae_deny(const char *why) {
  conclude("deny", why);
  exit(0);
}
