package io.bloomguard.redis.internal.partition;

import io.bloomguard.generation.internal.ReplicaSettings;
import io.bloomguard.guard.PendingAdd;
import io.bloomguard.redis.internal.client.LuaScript;
import io.bloomguard.redis.internal.image.HashScheme;
import io.bloomguard.redis.internal.image.JournalId;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * What a writer waits for: the copies that, when its script ran, might lack what it has written.
 *
 * <p>A copy counts as told once the register has it with the serving image and a position that
 * includes the write, or has it no more. Either is believed only under the server, the losses and
 * the hash scheme of the write; otherwise the leases must run out. Its steps run one after another.
 */
public final class CopyWait implements PendingAdd.Wait {

  /** The register of copies under a server, losses and scheme, at a beat. */
  record Register(
      String server,
      long losses,
      String scheme,
      long beat,
      String serving,
      boolean closing,
      Map<String, String> entries) {

    /** From {@code look.lua}. */
    static Register of(LuaScript.Reply reply) {
      return new Register(
          reply.text(1),
          number(reply.text(2)),
          HashScheme.Mark.parse(reply.text(3)).own(),
          number(reply.text(4)),
          reply.text(5),
          !reply.text(6).isEmpty(),
          copies(reply, 7));
    }
  }

  private final CopyRegister copies;
  private final AtomicBoolean begun = new AtomicBoolean();
  private final CompletableFuture<@Nullable Void> told = new CompletableFuture<>();
  private final Register written;
  private final JournalId need;
  private final Map<String, String> behind;
  private final long leasesEnd;
  private final long othersEnd;

  /**
   * The wait that a script's answer asks for.
   *
   * @param copies the register that follows it
   * @param reply that of a script which ends with what to wait for
   * @param from the first field of that
   * @param losses what is known of leases that no register tells of
   * @param now monotonic nanoseconds, not before the answer
   */
  CopyWait(CopyRegister copies, LuaScript.Reply reply, int from, KnownLosses losses, long now) {
    this.copies = copies;
    this.behind = copies(reply, from + 6);
    this.written =
        new Register(
            reply.text(from),
            number(reply.text(from + 1)),
            HashScheme.Mark.parse(reply.text(from + 2)).own(),
            number(reply.text(from + 3)),
            reply.text(from + 4),
            false,
            Map.copyOf(behind));
    this.need = JournalId.parse(reply.text(from + 5));
    long longest = 0;
    for (String entry : behind.values()) {
      longest = Math.max(longest, number(field(entry, 2)));
    }
    Duration lease = Duration.ofMillis(longest);
    this.leasesEnd = now + lease.plus(ReplicaSettings.margin(lease)).toNanos();
    this.othersEnd = losses.end(written.server, written.losses);
  }

  String server() {
    return written.server;
  }

  long losses() {
    return written.losses;
  }

  @Override
  public CompletableFuture<@Nullable Void> told() {
    if (begun.compareAndSet(false, true)) {
      copies.begin(this);
    }
    return told;
  }

  /** Waits; an interrupt is kept, but does not end the wait. */
  public void await() {
    told().join();
  }

  void end() {
    told.complete(null);
  }

  /** Under the same losses a later script tells of all copies that may lack an earlier write. */
  @Override
  public boolean includes(PendingAdd.Wait earlier) {
    return earlier instanceof CopyWait other
        && copies == other.copies
        && written.beat > other.written.beat
        && written.losses == other.written.losses
        && written.server.equals(other.written.server)
        && written.scheme.equals(other.written.scheme);
  }

  /** The copies that are still waited for, with their entries as the script had them. */
  Map<String, String> behind() {
    return behind;
  }

  /** The nanoseconds left to wait; not positive for none. */
  long left(long now) {
    long others = othersEnd - now;
    return behind.isEmpty() ? others : Math.max(others, leasesEnd - now);
  }

  /** Takes off the copies that need not be waited for any more; whether there was one. */
  boolean saw(Register look) {
    // An older register may lack a copy that was registered since it was written.
    if (look.closing
        || !look.server.equals(written.server)
        || look.losses != written.losses
        || !look.scheme.equals(written.scheme)
        || look.beat < written.beat) {
      return false;
    }
    return behind.keySet().removeIf(name -> isTold(look, look.entries.get(name)));
  }

  private boolean isTold(Register look, @Nullable String entry) {
    return entry == null
        || field(entry, 0).equals(look.serving)
            && look.serving.equals(written.serving)
            && JournalId.parse(field(entry, 1)).compareTo(need) >= 0;
  }

  private static Map<String, String> copies(LuaScript.Reply reply, int from) {
    Map<String, String> entries = new HashMap<>();
    for (int i = from; i + 1 < reply.fields().size(); i += 2) {
      entries.put(reply.text(i), reply.text(i + 1));
    }
    return entries;
  }

  private static String field(String entry, int index) {
    return entry.split("\\|")[index];
  }

  private static long number(String text) {
    return text.isEmpty() ? 0 : Long.parseLong(text);
  }
}
