package io.bloomguard.redis.internal.generation;

import static io.bloomguard.guard.Membership.POSSIBLY_PRESENT;
import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.KeyHash;
import io.bloomguard.filter.Layout;
import io.bloomguard.filter.Sizing;
import io.bloomguard.filter.internal.BlockedFilter;
import io.bloomguard.generation.GenerationStore;
import io.bloomguard.redis.internal.image.ImageFormat;
import io.bloomguard.redis.internal.image.RedisHead;
import io.bloomguard.redis.internal.image.RedisImage;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Each image has every key by its own salt, however the key came there. */
class SaltedImagesTest extends RedisTestBase {

  static Stream<FilterShape> shapes() {
    return Stream.of(
        Sizing.blocked(1_000, 1e-9, 1), SHAPE, Sizing.shape(Layout.COUNTING, 1_000, 1e-9));
  }

  private static RedisHead head(SchemeStore store) {
    store.look();
    return store.partitions()[0].head().last();
  }

  /** The keys that an image has under a salt. */
  private List<String> keys(@Nullable RedisImage image, long salt, List<String> asked) {
    assertThat(image).isNotNull();
    FilterShape shape = image.fingerprint().shape();
    BlockedFilter bits = new BlockedFilter(shape, KeyHash.SIPHASH_1_3.hasher(SECRET), salt);
    byte[] words =
        redis
            .commands()
            .getrange(
                image.key(),
                ImageFormat.FRAME_BYTES,
                ImageFormat.FRAME_BYTES + shape.sizeBytes() - 1);
    bits.mergeWords(0, ByteBuffer.wrap(words));
    return asked.stream().filter(bits::mightContain).toList();
  }

  private void requireOwn(@Nullable RedisImage image, String... keys) {
    List<String> all = List.of("read", "journalled", "added", "late", "removed");
    assertThat(keys(image, image.fingerprint().salt(), all)).containsExactly(keys);
    assertThat(keys(image, 0, all)).isEmpty();
  }

  @ParameterizedTest
  @MethodSource("shapes")
  void everyImageHasEveryKeyByItsOwnSalt(FilterShape shape) {
    SchemeStore store = store(first, shape);
    build(store, shape, List.of("read"));
    store.addAll(List.of("journalled"));
    try (GenerationStore.Build build = store.beginBuild(shape)) {
      store.addAll(List.of("added"));
      build.addAll(new String[] {"read"}, 1);
      build.publish();
    }
    store.addAll(List.of("late", "removed"));
    if (shape.layout().removes()) {
      assertThat(store.removeAll(List.of("removed"), 0)).isOne();
    }

    RedisHead head = head(store);
    RedisImage serving = head.serving();
    RedisImage previous = head.previous();
    if (shape.layout().removes()) {
      requireOwn(serving, "read", "journalled", "added", "late");
    } else {
      requireOwn(serving, "read", "journalled", "added", "late", "removed");
    }
    requireOwn(previous, "read", "journalled", "added", "late", "removed");
    assertThat(serving.fingerprint().salt()).isNotEqualTo(previous.fingerprint().salt());

    try (GenerationStore.Build build = store.beginBuild(shape)) {
      store.addAll(List.of("added"));
      requireOwn(head(store).building(), "added");
    }
    assertThat(store.rollback()).isTrue();
    assertThat(answered(store, List.of("read", "late", "never"), POSSIBLY_PRESENT))
        .containsExactly("read", "late");
  }
}
