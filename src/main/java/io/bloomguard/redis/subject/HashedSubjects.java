package io.bloomguard.redis.subject;

import io.bloomguard.filter.Fingerprint;
import io.bloomguard.filter.HashSecret;
import io.bloomguard.filter.KeyDigest;
import io.bloomguard.filter.KeyHasher;
import io.bloomguard.redis.client.RedisConnections;
import io.bloomguard.redis.client.RedisLink;
import io.bloomguard.redis.client.RedisSession;
import java.time.Duration;
import java.util.List;

/** A filter by subject under a secret: its reader, its writer and what they share. */
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

  /** A filter that asks Redis nothing yet. */
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

  /** Names a subject of this filter in Redis; nothing else has that hash. */
  long subject(String name) {
    return digest.number("subject\0" + filter + "\0" + name);
  }

  long hash(String key) {
    return hasher.hash(key);
  }

  List<Long> hashes(List<String> keys) {
    return keys.stream().map(hasher::hash).toList();
  }

  /** Whether Redis may give up a subject's image before its time is over. */
  boolean mayBeEvicted() {
    RedisSession session = requests.session();
    return session != null && session.evictsExpiring();
  }

  /** The next sign of life, over a connection that still leads to the master it led to. */
  void heartbeat() {
    requests.verify();
    register.tellIfFree();
  }
}
