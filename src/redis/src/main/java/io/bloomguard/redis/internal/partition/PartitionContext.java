package io.bloomguard.redis.internal.partition;

import io.bloomguard.filter.internal.Fingerprint;
import io.bloomguard.redis.internal.client.LuaScript;
import io.bloomguard.redis.internal.client.RedisConnections;
import io.bloomguard.redis.internal.client.RedisLink;
import io.bloomguard.redis.internal.image.PartitionKeys;
import io.bloomguard.redis.internal.image.RedisHead;
import io.bloomguard.redis.internal.image.RedisImage;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The parts that all operations on one partition share.
 *
 * @param keys its keys in Redis
 * @param own the fingerprint that this node expects of an image, its own shape included
 * @param requests the link for checks and adds
 * @param builds the link for work that no request waits for
 * @param journal the bounds on recent adds
 * @param replica this process' replica of the serving image, null for none
 * @param retained this process' adds
 * @param copies the register of the copies of all processes
 * @param head the head, as this process knows it
 */
record PartitionContext(
    PartitionKeys keys,
    Fingerprint own,
    RedisLink requests,
    RedisLink builds,
    JournalBound journal,
    @Nullable PartitionReplica replica,
    RetainedAdds retained,
    CopyRegister copies,
    PartitionHead head) {

  /** The filter's name, for messages. */
  String filter() {
    return own.filter();
  }

  /** The name of this process' copy in the register; empty for none. */
  String copyId() {
    return replica == null ? "" : replica.id();
  }

  /** The head as it is now. */
  RedisHead read() {
    return head.read(requests, RedisConnections.WRITE);
  }

  /**
   * Sends a script that begins with {@link RedisPartition#PREAMBLE} to the current server of a
   * link, with what this process knows of the partition: it answers {@code HEADLESS} or {@code
   * REREAD} if that is too old.
   *
   * @param view the head as last read
   * @param more keys after those that every such script has
   * @param arguments after those that every such script has
   */
  LuaScript.Call start(
      LuaScript script, RedisLink link, RedisHead view, List<byte[]> more, Object... arguments) {
    String server = link.server();
    List<byte[]> names = new ArrayList<>(List.of(keys.head(), keys.journal()));
    for (RedisImage image : Arrays.asList(view.serving(), view.building(), view.previous())) {
      names.add(image == null ? keys.head() : image.key());
    }
    names.addAll(more);
    List<Object> all =
        new ArrayList<>(List.of(view.view(), server, head.seenAt(server), retained.settledFor()));
    all.addAll(Arrays.asList(arguments));
    return script.start(link.only(server), names, all.toArray());
  }
}
