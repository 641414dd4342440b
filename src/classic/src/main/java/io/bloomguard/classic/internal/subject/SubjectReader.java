package io.bloomguard.classic.internal.subject;

import io.bloomguard.guard.Membership;
import io.bloomguard.redis.internal.client.LuaScript;
import io.bloomguard.redis.internal.client.RedisLink;
import io.bloomguard.redis.internal.client.RedisSession;
import io.bloomguard.redis.internal.client.RedisUnavailableException;
import io.bloomguard.redis.internal.client.ScriptOutcome;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeoutException;

/** Checks keys of one subject: doubtful ones are UNKNOWN. Never throws. */
final class SubjectReader {

  /** The most keys in one script, so that none blocks Redis for more than a few milliseconds. */
  private static final int CHUNK = 200;

  /** The most scripts under way. */
  private static final int CHUNKS_AT_ONCE = 15;

  private static final LuaScript CHECK =
      LuaScript.of(SubjectReader.class, "subjects", "head", "check");

  private final SubjectSettings settings;
  private final SubjectKeys keys;
  private final SubjectImage image;
  private final SubjectRegister register;
  private final RedisLink requests;

  SubjectReader(
      SubjectSettings settings,
      SubjectKeys keys,
      SubjectImage image,
      SubjectRegister register,
      RedisLink requests) {
    this.settings = settings;
    this.keys = keys;
    this.image = image;
    this.register = register;
    this.requests = requests;
  }

  /** The memberships of hashes, in their order. */
  Membership[] check(long subject, List<Long> hashes) {
    Membership[] answers = new Membership[hashes.size()];
    Arrays.fill(answers, Membership.UNKNOWN);
    String server = requests.server();
    if (server.equals(RedisSession.ANY)
        || register.refusal() != null
        || !requests.breaker().allows()) {
      return answers;
    }
    int part = CHUNK * CHUNKS_AT_ONCE;
    for (int from = 0; from < answers.length; from += part) {
      int to = Math.min(answers.length, from + part);
      if (!check(server, subject, hashes, from, to, answers)) {
        break;
      }
    }
    return answers;
  }

  /** Returns false if Redis did not answer: the remaining hashes are not sent. */
  private boolean check(
      String server, long subject, List<Long> hashes, int from, int to, Membership[] answers) {
    List<List<Long>> chunks = new ArrayList<>();
    for (int at = from; at < to; at += CHUNK) {
      chunks.add(hashes.subList(at, Math.min(to, at + CHUNK)));
    }
    List<LuaScript.Call> calls =
        chunks.stream().map(chunk -> start(server, subject, chunk)).toList();
    int at = from;
    for (int i = 0; i < calls.size(); i++) {
      List<Long> chunk = chunks.get(i);
      try {
        read(calls.get(i).await(requests.timeout()), chunk, answers, at);
        requests.breaker().answered();
      } catch (RedisUnavailableException e) {
        if (e.getCause() instanceof TimeoutException) {
          requests.unanswered();
        }
        return false;
      }
      at += chunk.size();
    }
    return true;
  }

  private LuaScript.Call start(String server, long subject, List<Long> hashes) {
    return CHECK.start(
        requests.only(server),
        keys.of(subject),
        image.fingerprint(),
        server,
        image.front(subject),
        image.size(),
        SubjectKeys.member(subject),
        image.blockBytes(),
        image.blocks(hashes));
  }

  private void read(LuaScript.Reply reply, List<Long> hashes, Membership[] answers, int at) {
    if (reply.outcome() == ScriptOutcome.NONE) {
      Membership none = settings.absentWhereMissing() ? Membership.ABSENT : Membership.UNKNOWN;
      Arrays.fill(answers, at, at + hashes.size(), none);
    }
    if (!reply.ok()) {
      return;
    }
    Membership missing = reply.number(1) == 0 ? Membership.ABSENT : Membership.UNKNOWN;
    ByteBuffer blocks = ByteBuffer.wrap(reply.bytes(2));
    long[] masks = image.masks();
    for (int i = 0; i < hashes.size(); i++) {
      answers[at + i] =
          image.has(hashes.get(i), blocks, i, masks) ? Membership.POSSIBLY_PRESENT : missing;
    }
  }

  /**
   * The state of a subject's image for one hash, for an explanation.
   *
   * @throws RedisUnavailableException if Redis does not answer
   */
  LuaScript.Reply look(long subject, long hash) {
    return start(requests.server(), subject, List.of(hash)).await(requests.timeout());
  }
}
