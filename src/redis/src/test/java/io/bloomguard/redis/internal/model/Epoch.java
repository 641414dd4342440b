package io.bloomguard.redis.internal.model;

/** A server and a partition's number of losses in one number, 0 for none. */
final class Epoch {

  private static final int SERVERS = 8;

  private Epoch() {}

  static int of(int server, int losses) {
    return losses * SERVERS + server;
  }

  static int server(int epoch) {
    return epoch % SERVERS;
  }

  static int losses(int epoch) {
    return epoch / SERVERS;
  }
}
