package io.bloomguard.redis.internal.client;

import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.NestedMultiOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A Lua script: sent by its SHA-1, and in full if Redis does not know it, as after a restart. Every
 * script answers an array whose first element is its outcome.
 */
public final class LuaScript {

  private final byte[] source;
  private final byte[] sha1;

  private LuaScript(byte[] source) {
    this.source = source;
    try {
      byte[] digest = MessageDigest.getInstance("SHA-1").digest(source);
      this.sha1 = Utf8.bytes(HexFormat.of().formatHex(digest));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("Every Java platform has SHA-1", e);
    }
  }

  /**
   * The script whose parts are the resources {@code <part>.lua} beside a class, one after the
   * other.
   */
  public static LuaScript of(Class<?> beside, String... parts) {
    return new LuaScript(new byte[0]).then(beside, parts);
  }

  /** This script followed by parts beside a class, which may use its definitions. */
  public LuaScript then(Class<?> beside, String... parts) {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    all.writeBytes(source);
    for (String part : parts) {
      all.writeBytes(read(beside, part));
    }
    return new LuaScript(all.toByteArray());
  }

  private static byte[] read(Class<?> beside, String part) {
    try (InputStream in = beside.getResourceAsStream(part + ".lua")) {
      if (in == null) {
        throw new IllegalStateException("The script " + part + ".lua is missing from the jar");
      }
      return in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Runs the script and waits for its answer. */
  public Reply run(RedisLink link, List<byte[]> keys, Object... arguments) {
    return start(link, keys, arguments).await(link.timeout());
  }

  /** Sends the script, and in full if need be, even if no caller waits for the answer. */
  public Call start(RedisLink link, List<byte[]> keys, Object... arguments) {
    return new Call(link, keys, arguments);
  }

  /** A script under way. */
  public final class Call {

    private final RedisLink link;
    private final List<byte[]> keys;
    private final Object[] arguments;
    private final CompletableFuture<List<Object>> answer;

    private Call(RedisLink link, List<byte[]> keys, Object[] arguments) {
      this.link = link;
      this.keys = keys;
      this.arguments = arguments;
      this.answer =
          send(CommandType.EVALSHA, sha1)
              .exceptionallyCompose(
                  failure ->
                      failure instanceof RedisNoScriptException
                          ? send(CommandType.EVAL, source)
                          : CompletableFuture.failedFuture(failure));
    }

    /**
     * Waits for the answer.
     *
     * @throws RedisUnavailableException if there is none
     */
    public Reply await(Duration timeout) {
      return read(Replies.await(answer, timeout));
    }

    /**
     * Waits as long as the link allows; the link notes whether an answer came.
     *
     * @throws RedisUnavailableException if there is none
     */
    public Reply await() {
      return read(link.await(answer));
    }

    /** The answer within a time, for a caller that does not wait. */
    public CompletableFuture<Reply> inTime(Duration timeout) {
      return Replies.inTime(reply(), timeout);
    }

    /** The answer, whenever it comes. */
    public CompletableFuture<Reply> reply() {
      return answer.thenApply(Call::read);
    }

    private static Reply read(@Nullable List<Object> reply) {
      if (reply == null || reply.isEmpty()) {
        throw new RedisUnavailableException("A script answered nothing", null);
      }
      return new Reply(reply);
    }

    private CompletableFuture<List<Object>> send(CommandType command, byte[] script) {
      CommandArgs<byte[], byte[]> args = RedisLink.args().add(script).add(keys.size());
      for (byte[] key : keys) {
        args.addKey(key);
      }
      for (Object argument : arguments) {
        args.add(argument instanceof byte[] bytes ? bytes : Utf8.bytes(argument.toString()));
      }
      return link.send(command, new NestedMultiOutput<>(ByteArrayCodec.INSTANCE), args);
    }
  }

  /** The answer of a script. */
  public record Reply(List<Object> fields) {

    /**
     * The outcome of the script.
     *
     * @throws RedisUnavailableException if no script of ours answers so
     */
    public ScriptOutcome outcome() {
      return ScriptOutcome.of(text(0));
    }

    public boolean ok() {
      return outcome() == ScriptOutcome.OK;
    }

    public String text(int index) {
      return Utf8.text(bytes(index));
    }

    public byte[] bytes(int index) {
      return (byte[]) fields.get(index);
    }

    public long number(int index) {
      return (Long) fields.get(index);
    }
  }
}
