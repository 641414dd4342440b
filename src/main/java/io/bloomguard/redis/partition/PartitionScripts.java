package io.bloomguard.redis.partition;

import io.bloomguard.redis.client.LuaScript;
import io.bloomguard.redis.client.RedisLink;
import io.bloomguard.redis.image.ImageScripts;
import io.bloomguard.redis.image.PartitionKeys;
import io.bloomguard.redis.image.RedisHead;
import io.bloomguard.redis.image.RedisImage;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The scripts that change a partition. Each begins with {@code partition.lua}, which compares the
 * head with what this process knows of it, and answers {@code HEADLESS} or {@code REREAD} where
 * that is too little.
 */
public final class PartitionScripts {

  /** What such a script begins with. */
  public static final LuaScript PREAMBLE =
      ImageScripts.MODULE.then(PartitionScripts.class, "partition");

  private final PartitionKeys keys;
  private final PartitionHead head;
  private final WriterState writer;

  PartitionScripts(PartitionKeys keys, PartitionHead head, WriterState writer) {
    this.keys = keys;
    this.head = head;
    this.writer = writer;
  }

  /**
   * Sends a script to the server that a link leads to now.
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
   * What this process knows of the partition.
   *
   * @param head as it was read last
   * @param server the server that it speaks to
   * @param seenAt the highest beat that it has seen there
   * @param losses the latest losses that it knows of
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
