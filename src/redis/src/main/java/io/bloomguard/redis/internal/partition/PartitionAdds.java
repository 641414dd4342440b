package io.bloomguard.redis.internal.partition;

import io.bloomguard.generation.StoreUnavailableException;
import io.bloomguard.guard.AddFailedException;
import io.bloomguard.redis.internal.client.Attempts;
import io.bloomguard.redis.internal.client.ClaimPart;
import io.bloomguard.redis.internal.client.ClaimSlot;
import io.bloomguard.redis.internal.client.LuaScript;
import io.bloomguard.redis.internal.client.RedisConnections;
import io.bloomguard.redis.internal.client.ScriptOutcome;
import io.bloomguard.redis.internal.image.ImageFormat;
import io.bloomguard.redis.internal.image.ImageState;
import io.bloomguard.redis.internal.image.RedisHead;
import io.bloomguard.redis.internal.image.RedisHead.Condition;
import io.bloomguard.redis.internal.image.RedisImage;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Adds hashes to every image of a partition that takes adds, and to its journal. */
public final class PartitionAdds {

  /**
   * The most keys in one script, so that no script blocks Redis for more than a few milliseconds.
   */
  public static final int CHUNK = 200;

  /** The most scripts under way at once, so that many keys do not wait for each. */
  private static final int CHUNKS_AT_ONCE = 15;

  /** The most keys under way at once. */
  static final int AT_ONCE = CHUNK * CHUNKS_AT_ONCE;

  /** The answer to a chunk of a scheme that another has replaced. */
  private static final Chunk NONE = new Chunk("", null);

  private static final LuaScript ADD =
      ClaimSlot.withClaims(ImageFormat.withPositions(RedisPartition.PREAMBLE))
          .then(PartitionAdds.class, "add");

  private final RedisPartition partition;
  private final HeadCreation creation;

  PartitionAdds(RedisPartition partition, HeadCreation creation) {
    this.partition = partition;
    this.creation = creation;
  }

  /**
   * Hashes to add, and those of them without a fresh journal entry.
   *
   * @param journalled all of them if the add must not rely on existing entries
   * @param claim under which they are added; null for none
   */
  record Order(List<Long> hashes, List<Long> journalled, @Nullable ClaimPart claim) {

    /** Leaves out the hashes that this process remembers to have written to the journal. */
    static Order of(List<Long> hashes, @Nullable ClaimPart claim, RetainedAdds own) {
      List<Long> missing = hashes.stream().filter(hash -> !own.isJournalled(hash)).toList();
      return new Order(hashes, missing.size() == hashes.size() ? hashes : missing, claim);
    }

    /** The same with all of them for the journal. */
    Order whole() {
      return new Order(hashes, hashes, claim);
    }

    /** Whether the journal gets fewer entries than keys. */
    boolean leavesOut() {
      return journalled.size() < hashes.size();
    }

    private List<Order> chunks(int size) {
      Set<Long> missing = leavesOut() ? new HashSet<>(journalled) : Set.of();
      List<Order> chunks = new ArrayList<>();
      for (int from = 0; from < hashes.size(); from += size) {
        int to = Math.min(hashes.size(), from + size);
        List<Long> part = hashes.subList(from, to);
        List<Long> toJournal =
            leavesOut() ? part.stream().filter(missing::contains).toList() : part;
        chunks.add(new Order(part, toJournal, claim == null ? null : claim.part(from, to)));
      }
      return chunks;
    }
  }

  /**
   * Adds to the serving image, or to the building one if none serves. Sends a script again only
   * after an answer that it has changed nothing, so that no adder takes its own key for another's.
   *
   * @return with the hashes that were absent from the serving image until then: none if no image
   *     serves, or it is in doubt
   * @throws AddFailedException if they could not be stored
   */
  RedisPartition.Added send(Order order) {
    return send(order, "serving", 0);
  }

  /**
   * Adds hashes again that may have been lost: if no image serves, to the building one too.
   *
   * @param losses the loss epoch after which they are added again
   * @throws AddFailedException if they could not be stored
   * @throws LostAgainException if a further loss came meanwhile
   */
  void sendAgain(List<Long> hashes, long losses) {
    send(new Order(hashes, hashes, null), "kept", losses);
  }

  private RedisPartition.Added send(Order order, String role, long losses) {
    BitSet isNew = new BitSet(order.hashes().size());
    List<CopyWait> waits = new ArrayList<>();
    int from = 0;
    try {
      for (Order part : order.chunks(AT_ONCE)) {
        for (Chunk answer : sendChunks(part.chunks(CHUNK), role, losses)) {
          String fresh = answer.isNew;
          for (int i = fresh.indexOf('1'); i >= 0; i = fresh.indexOf('1', i + 1)) {
            isNew.set(from + i);
          }
          from += CHUNK;
          if (answer.copies != null) {
            waits.removeIf(answer.copies::includes);
            waits.add(answer.copies);
          }
        }
      }
    } catch (StoreUnavailableException e) {
      throw failed(String.valueOf(e.getMessage()), e);
    }
    return new RedisPartition.Added(isNew, waits);
  }

  /**
   * The answer to a chunk.
   *
   * @param isNew for each key 1 if it was new and else 0
   * @param copies those to wait for; null if no copy answers checks of this scheme any more
   */
  private record Chunk(String isNew, @Nullable CopyWait copies) {}

  /**
   * Sends all chunks under the known head; a chunk that Redis refuses under it is sent alone, and
   * all of it to the journal.
   *
   * @return the answer to each
   */
  private List<Chunk> sendChunks(List<Order> chunks, String role, long losses) {
    RedisHead view = partition.head().last();
    if (!view.valid() || (chunks.size() == 1 && !chunks.get(0).leavesOut())) {
      return chunks.stream().map(chunk -> sendChunk(chunk, role, losses)).toList();
    }
    List<LuaScript.Call> sent =
        chunks.stream().map(chunk -> startAdd(view, chunk, role, losses)).toList();
    List<Chunk> answers = new ArrayList<>();
    for (int i = 0; i < sent.size(); i++) {
      Order chunk = chunks.get(i);
      LuaScript.Reply reply = sent.get(i).await(RedisConnections.WRITE);
      answers.add(reply.ok() ? added(view, chunk.hashes(), reply) : sendChunk(chunk, role, losses));
    }
    return answers;
  }

  private Chunk sendChunk(Order chunk, String role, long losses) {
    if (!partition.head().last().valid()) {
      partition.read();
    }
    Chunk added = Attempts.of(() -> trySend(chunk.whole(), role, losses));
    if (added == null) {
      throw failed("its generations changed again and again", null);
    }
    return added;
  }

  /** Null if nothing was done, because the head has changed. */
  private @Nullable Chunk trySend(Order chunk, String role, long losses) {
    RedisHead view = partition.head().last();
    if (view.condition() == Condition.MISSING) {
      creation.create(partition.requests(), RedisConnections.WRITE, "keep");
      view = partition.read();
    }
    if (view.condition() == Condition.MOVED) {
      // No check is answered here any more, except for a moment by this process' own replica.
      addToReplica(chunk.hashes());
      return NONE;
    }
    if (!view.valid()) {
      String why =
          view.condition() == Condition.FOREIGN
              ? partition.head().difference(view)
              : "its head in Redis is " + view.condition();
      throw failed(why, null);
    }
    LuaScript.Reply reply = startAdd(view, chunk, role, losses).await(RedisConnections.WRITE);
    if (reply.ok()) {
      return added(view, chunk.hashes(), reply);
    }
    if (chunk.claim() != null) {
      chunk.claim().requireTaken(reply);
    }
    if (reply.outcome() == ScriptOutcome.FULL) {
      throw partition.journal().full();
    }
    if (reply.outcome() == ScriptOutcome.DAMAGED) {
      throw failed(
          "its serving image in Redis is damaged; a rebuild replaces it, and a filter without a"
              + " source starts again once its keys in Redis are deleted",
          null);
    }
    if (partition.read().trust().losses() != losses && losses != 0) {
      throw new LostAgainException();
    }
    return null;
  }

  private Chunk added(RedisHead view, List<Long> hashes, LuaScript.Reply reply) {
    view.saw(reply.number(2));
    addToReplica(hashes);
    return new Chunk(reply.text(1), partition.copies().waitFor(reply, 3));
  }

  private LuaScript.Call startAdd(RedisHead view, Order order, String role, long losses) {
    List<Long> hashes = order.hashes();
    ByteBuffer journalled = ByteBuffer.allocate(order.journalled().size() * Long.BYTES);
    order.journalled().forEach(journalled::putLong);
    List<Object> args = new ArrayList<>();
    args.addAll(
        List.of(
            partition.copyId(),
            partition.journal().span().toMillis(),
            journalled.array(),
            (long) hashes.size(),
            losses == 0 ? "" : losses,
            partition.journal().maxBytes(),
            order.leavesOut() ? "1" : ""));
    args.addAll(ClaimPart.arguments(order.claim()));
    addImage(args, role, view.serving(), ImageState.READY, 3, hashes);
    addImage(args, "kept", view.building(), ImageState.BUILDING, 4, hashes);
    addImage(args, "kept", view.previous(), ImageState.RETIRED, 5, hashes);
    return partition.start(
        ADD, partition.requests(), view, partition.keys().claims().keys(), args.toArray());
  }

  private static void addImage(
      List<Object> args,
      String role,
      @Nullable RedisImage image,
      ImageState state,
      int place,
      List<Long> hashes) {
    if (image != null) {
      args.add(role);
      args.add(place);
      args.add(image.sealBytes(state));
      args.add(image.lastWord() * Long.BYTES);
      args.add(image.offsetsPerKey());
      args.add(image.offsets(hashes));
      args.add(image.positionBits());
    }
  }

  /** Ensures that this process' replica does not lack an add that Redis has. */
  private void addToReplica(List<Long> hashes) {
    PartitionReplica replica = partition.replica();
    if (replica != null) {
      replica.add(hashes);
    }
  }

  private AddFailedException failed(String why, @Nullable Throwable cause) {
    return new AddFailedException(
        "Filter '" + partition.filter() + "' could not take an add: " + why, cause);
  }
}
