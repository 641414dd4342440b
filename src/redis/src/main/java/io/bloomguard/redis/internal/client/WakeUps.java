package io.bloomguard.redis.internal.client;

import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The channels on which scripts tell copies of an add: a connection of its own, made with the first
 * subscription and again, by one thread, after its end.
 *
 * <p>No message may be relied on: Redis sends each once, and a user may lack the right to the
 * channels.
 */
public final class WakeUps implements AutoCloseable {

  private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final byte[] NOTHING = {};
  private static final Logger log = LoggerFactory.getLogger(WakeUps.class);

  private final Supplier<StatefulRedisPubSubConnection<byte[], byte[]>> connector;
  private final Map<ByteBuffer, Consumer<byte[]>> listeners = new ConcurrentHashMap<>();
  private final Thread thread = new Thread(this::run, "bloomguard-redis-wake");
  private final AtomicBoolean begun = new AtomicBoolean();
  private volatile @Nullable StatefulRedisPubSubConnection<byte[], byte[]> connection;
  private volatile boolean connected;
  private volatile boolean closed;

  /** Connects with the first subscription. */
  WakeUps(Supplier<StatefulRedisPubSubConnection<byte[], byte[]>> connector) {
    this.connector = connector;
  }

  /**
   * Passes each message on a channel to the listener, which must not wait, and an empty one after
   * messages may have been missed.
   */
  public void subscribe(byte[] channel, Consumer<byte[]> listener) {
    listeners.put(ByteBuffer.wrap(channel), listener);
    StatefulRedisPubSubConnection<byte[], byte[]> now = connection;
    if (now != null && connected) {
      now.async().subscribe(channel);
    }
    begin();
  }

  /** Ends a subscription. */
  public void unsubscribe(byte[] channel) {
    listeners.remove(ByteBuffer.wrap(channel));
    StatefulRedisPubSubConnection<byte[], byte[]> now = connection;
    if (now != null && connected) {
      now.async().unsubscribe(channel);
    }
  }

  /** Whether messages arrive, as far as known. */
  public boolean isConnected() {
    return connected;
  }

  private void begin() {
    if (!closed && begun.compareAndSet(false, true)) {
      thread.setDaemon(true);
      thread.start();
    }
  }

  private void run() {
    while (!closed) {
      if (!connected) {
        connect();
      }
      LockSupport.parkNanos(this, RETRY_NANOS);
    }
  }

  private void connect() {
    StatefulRedisPubSubConnection<byte[], byte[]> before = connection;
    if (before != null) {
      before.closeAsync();
    }
    try {
      StatefulRedisPubSubConnection<byte[], byte[]> fresh = connector.get();
      connection = fresh;
      fresh.addListener(
          new RedisPubSubAdapter<byte[], byte[]>() {
            @Override
            public void message(byte[] channel, byte[] message) {
              Consumer<byte[]> listener = listeners.get(ByteBuffer.wrap(channel));
              if (listener != null) {
                listener.accept(message);
              }
            }
          });
      fresh.addListener(
          new RedisConnectionStateListener() {
            @Override
            public void onRedisDisconnected(RedisChannelHandler<?, ?> handler) {
              connected = false;
              LockSupport.unpark(thread);
            }
          });
      byte[][] channels = listeners.keySet().stream().map(ByteBuffer::array).toArray(byte[][]::new);
      if (channels.length > 0) {
        Replies.await(
            fresh.async().subscribe(channels).toCompletableFuture(), RedisConnections.WRITE);
      }
      connected = fresh.isOpen();
      // One that was subscribed meanwhile.
      listeners.keySet().forEach(channel -> fresh.async().subscribe(channel.array()));
      listeners.values().forEach(listener -> listener.accept(NOTHING));
    } catch (RuntimeException e) {
      log.debug("Copies are not woken by adds, but poll: {}", e.getMessage());
    }
    if (closed) {
      end();
    }
  }

  private void end() {
    connected = false;
    StatefulRedisPubSubConnection<byte[], byte[]> now = connection;
    if (now != null) {
      now.closeAsync();
    }
  }

  @Override
  public void close() {
    closed = true;
    LockSupport.unpark(thread);
    try {
      thread.join(RedisConnections.CONNECT.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    end();
  }
}
