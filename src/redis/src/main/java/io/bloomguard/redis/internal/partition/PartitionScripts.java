package io.bloomguard.redis.internal.partition;

import io.bloomguard.redis.internal.client.LuaScript;
import io.bloomguard.redis.internal.client.RedisLink;
import io.bloomguard.redis.internal.image.ImageFormat;
import io.bloomguard.redis.internal.image.PartitionKeys;
import io.bloomguard.redis.internal.image.RedisHead;
import io.bloomguard.redis.internal.image.RedisImage;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The scripts that change a partition. Each begins with {@code partition.lua}, which compares the
 * head with this process' knowledge of it, and answers {@code HEADLESS} or {@code REREAD} if that
 * is too old.
 */
public final class PartitionScripts {

  /** The beginning of each of these scripts. */
  public static final LuaScript PREAMBLE =
      ImageFormat.SCRIPT.then(PartitionScripts.class, "partition");

  private final PartitionKeys keys;
  private final PartitionHead head;
  private final WriterState writer;

  PartitionScripts(PartitionKeys keys, PartitionHead head, WriterState writer) {
    this.keys = keys;
    this.head = head;
    this.writer = writer;
  }

  /**
   * Sends a script to the current server of a link.
   *
   * @param more keys after those that every such script has
   * @param arguments after those that every such script has
   */
  LuaScript.Call start(
      LuaScript script, RedisLink link, RedisHead view, List<byte[]> more, Object... arguments) {
    String server = link.server();
    Knowledge knowledge = new Knowledge(view, server, head.seenAt(server), writer.settledFor());
    List<byte[]> names = knowledge.names(keys);
    names.addAll(more);
    List<Object> all = knowledge.arguments();
    all.addAll(Arrays.asList(arguments));
    return script.start(link.only(server), names, all.toArray());
  }

  /**
   * This process' knowledge of the partition.
   *
   * @param head as last read
   * @param server the server that it speaks to
   * @param seenAt the highest beat that it has seen there
   * @param losses the latest loss epoch that it knows
   */
  private record Knowledge(RedisHead head, String server, long seenAt, long losses) {

    List<byte[]> names(PartitionKeys keys) {
      return new ArrayList<>(
          List.of(
              keys.head(),
              keys.journal(),
              key(keys, head.serving()),
              key(keys, head.building()),
              key(keys, head.previous())));
    }

    private static byte[] key(PartitionKeys keys, @Nullable RedisImage image) {
      return image == null ? keys.head() : image.key();
    }

    List<Object> arguments() {
      return new ArrayList<>(List.of(head.view(), server, seenAt, losses));
    }
  }
}
