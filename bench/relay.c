// relay <netns> <device> <netns> <device>: a link between two network namespaces, with a delay and a limited rate, where the kernel has no
// netem. It makes a TUN device in each namespace, and hands packets from one to the other. Prints "ready"; then reads lines of
// "<delay in µs> <bytes per second, 0: unlimited>" and answers each with "set". Ends with its input, and the devices with it.
//
// Packets carry the kernel's own header for offloads (IFF_VNET_HDR), which is passed on as it came: a packet may then have 64 KiB, and
// checksums are left out on both sides. So the relay costs little time of the cores that the ranks compute on.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <poll.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

enum { kSlots = 4096, kBatch = 64 };

struct packet {
  uint64_t due;
  size_t size;
  unsigned char bytes[65536 + 64];
};

// Packets of one direction, in order.
struct queue {
  int from, to;
  uint64_t free_at;  // when the last packet has left the sender, at the rate
  uint64_t first, last;
  struct packet *slots;
};

static uint64_t delay_ns;
static double bytes_per_ns;

static void fail(const char *what) {
  fprintf(stderr, "relay: %s: %s\n", what, strerror(errno));
  exit(1);
}

static uint64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

// A TUN device belongs to the namespace that its process is in when it is made.
static int open_tun(const char *netns, const char *device) {
  char path[256];
  snprintf(path, sizeof path, "/var/run/netns/%s", netns);
  const int space = open(path, O_RDONLY);
  if (space < 0) fail(path);
  if (setns(space, CLONE_NEWNET) != 0) fail("setns");
  close(space);
  const int tun = open("/dev/net/tun", O_RDWR | O_NONBLOCK);
  if (tun < 0) fail("/dev/net/tun");
  struct ifreq request;
  memset(&request, 0, sizeof request);
  request.ifr_flags = IFF_TUN | IFF_NO_PI | IFF_VNET_HDR;
  snprintf(request.ifr_name, IFNAMSIZ, "%s", device);
  if (ioctl(tun, TUNSETIFF, &request) != 0) fail("TUNSETIFF");
  if (ioctl(tun, TUNSETOFFLOAD, TUN_F_CSUM | TUN_F_TSO4 | TUN_F_TSO6) != 0) fail("TUNSETOFFLOAD");
  return tun;
}

static void take(struct queue *q) {
  for (int k = 0; k < kBatch && q->last - q->first < kSlots; k++) {
    struct packet *p = &q->slots[q->last % kSlots];
    const ssize_t size = read(q->from, p->bytes, sizeof p->bytes);
    if (size <= 0) return;
    const uint64_t here = now();
    p->size = (size_t)size;
    if (q->free_at < here) q->free_at = here;
    if (bytes_per_ns > 0) q->free_at += (uint64_t)((double)size / bytes_per_ns);
    p->due = q->free_at + delay_ns;
    q->last++;
  }
}

// Hands on what is due; returns when the next packet is.
static uint64_t give(struct queue *q) {
  while (q->first < q->last) {
    struct packet *p = &q->slots[q->first % kSlots];
    if (p->due > now()) return p->due;
    // A packet that the kernel refuses, before the device is up, is lost, as on any network.
    if (write(q->to, p->bytes, p->size) < 0 && errno == EAGAIN) return now() + 10000;
    q->first++;
  }
  return UINT64_MAX;
}

static struct queue make_queue(int from, int to) {
  struct queue q = {from, to, 0, 0, 0, NULL};
  q.slots = mmap(NULL, kSlots * sizeof(struct packet), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (q.slots == MAP_FAILED) fail("mmap");
  return q;
}

int main(int argc, char **argv) {
  if (argc != 5) {
    fprintf(stderr, "relay <netns> <device> <netns> <device>\n");
    return 1;
  }
  const int home = open("/proc/self/ns/net", O_RDONLY);
  if (home < 0) fail("/proc/self/ns/net");
  const int a = open_tun(argv[1], argv[2]), b = open_tun(argv[3], argv[4]);
  // Back, so that it is not among the processes of a namespace, which are ended when their program is.
  if (setns(home, CLONE_NEWNET) != 0) fail("setns");
  struct queue there = make_queue(a, b), back = make_queue(b, a);
  // Waiting ranks keep the cores busy, and a late relay would be measured as a slow network. Without the right to this it still works.
  const struct sched_param priority = {.sched_priority = 10};
  sched_setscheduler(0, SCHED_FIFO, &priority);
  prctl(PR_SET_TIMERSLACK, 1);
  printf("ready\n");
  fflush(stdout);
  for (;;) {
    const uint64_t due_there = give(&there), due_back = give(&back);
    const uint64_t due = due_there < due_back ? due_there : due_back, here = now();
    const uint64_t rest = due <= here ? 0 : due - here;
    const struct timespec patience = {(time_t)(rest / 1000000000u), (long)(rest % 1000000000u)};
    struct pollfd files[3] = {{0, POLLIN, 0},
                              {there.last - there.first < kSlots ? a : -1, POLLIN, 0},
                              {back.last - back.first < kSlots ? b : -1, POLLIN, 0}};
    if (ppoll(files, 3, due == UINT64_MAX ? NULL : &patience, NULL) < 0 && errno != EINTR) fail("ppoll");
    if (files[1].revents) take(&there);
    if (files[2].revents) take(&back);
    if (files[0].revents) {
      char line[128];
      const ssize_t size = read(0, line, sizeof line - 1);
      if (size <= 0) return 0;
      line[size] = 0;
      double micros = 0, rate = 0;
      if (sscanf(line, "%lf %lf", &micros, &rate) != 2) return 1;
      delay_ns = (uint64_t)(micros * 1000);
      bytes_per_ns = rate / 1e9;
      printf("set\n");
      fflush(stdout);
    }
  }
}
