package io.bloomguard.classic.internal.subject;

import io.bloomguard.filter.HashSecret;
import io.bloomguard.filter.KeyHasher;
import io.bloomguard.filter.internal.Fingerprint;
import io.bloomguard.filter.internal.KeyDigest;
import io.bloomguard.redis.internal.client.RedisConnections;
import io.bloomguard.redis.internal.client.RedisLink;
import io.bloomguard.redis.internal.client.RedisSession;
import java.time.Duration;
import java.util.List;

/** A filter by subject under a secret: its reader, its writer and their shared parts. */
final class HashedSubjects {

  private final KeyHasher hasher;
  private final KeyDigest digest;
  private final String filter;
  private final RedisLink requests;
  final SubjectImage image;
  final SubjectRegister register;
  final SubjectReader reader;
  final SubjectWriter writer;
  final SubjectSample sample;

  /** Creates a filter that sends nothing to Redis yet. */
  HashedSubjects(SubjectSettings settings, RedisConnections connections, HashSecret secret) {
    this(settings, connections, secret, SubjectRegister.GRACE);
  }

  HashedSubjects(
      SubjectSettings settings, RedisConnections connections, HashSecret secret, Duration grace) {
    SubjectKeys keys = new SubjectKeys(settings.keyPrefix(), settings.filter());
    this.filter = settings.filter();
    this.requests = connections.requests(keys.head());
    this.hasher = settings.folding().over(settings.hash().hasher(secret));
    this.digest = new KeyDigest(secret);
    this.image = new SubjectImage(Fingerprint.of(filter, settings.shape(), hasher, 1, 0));
    this.register = new SubjectRegister(settings, keys, image.fingerprint(), requests, grace);
    this.reader = new SubjectReader(settings, keys, image, register, requests);
    this.writer = new SubjectWriter(settings, keys, image, register, requests);
    this.sample = new SubjectSample(keys, image, connections.builds(keys.head()));
  }

  /** The hash that names a subject of this filter in Redis; no other subject has it. */
  long subject(String name) {
    return digest.number("subject\0" + filter + "\0" + name);
  }

  long hash(String key) {
    return hasher.hash(key);
  }

  List<Long> hashes(List<String> keys) {
    return keys.stream().map(hasher::hash).toList();
  }

  /** What keeps checks from an answer at present. */
  List<String> problems() {
    String why = requests.problem();
    return why == null ? List.of() : List.of(why);
  }

  /** Whether Redis may evict a subject's image before its time is over. */
  boolean mayBeEvicted() {
    RedisSession session = requests.session();
    return session != null && session.evictsExpiring();
  }

  /** Sends the next heartbeat, over a connection that still leads to the same master. */
  void heartbeat() {
    requests.verify();
    register.tellIfFree();
  }
}
