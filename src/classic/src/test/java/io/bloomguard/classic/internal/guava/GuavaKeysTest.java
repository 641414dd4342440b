package io.bloomguard.classic.internal.guava;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.hash.BloomFilter;
import com.google.common.hash.Funnels;
import com.google.common.hash.Hashing;
import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.Layout;
import io.bloomguard.filter.Sizing;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Sixteen bytes for each hash, and the bits that Guava's own filter sets for a text. */
class GuavaKeysTest {

  @Test
  void sixteenBytesHaveTheHashThatTheyWereMadeFor() {
    SplittableRandom random = new SplittableRandom(42);
    for (int i = 0; i < 10_000; i++) {
      long first = i == 0 ? 0 : random.nextLong();
      long second = i < 2 ? 0 : random.nextLong();
      ByteBuffer hash =
          ByteBuffer.wrap(
                  Hashing.murmur3_128()
                      .hashBytes((byte[]) GuavaKeys.withHash(first, second))
                      .asBytes())
              .order(ByteOrder.LITTLE_ENDIAN);
      assertThat(hash.getLong()).isEqualTo(first);
      assertThat(hash.getLong()).isEqualTo(second);
    }
  }

  @Test
  void aFilterFilledByHashesIsTheOneThatGuavaMakes() throws IOException {
    FilterShape shape = Sizing.shape(Layout.GUAVA, 1_000, 0.001);
    GuavaFilter filter = GuavaFilter.create(shape);
    BloomFilter<CharSequence> guavas =
        BloomFilter.create(Funnels.stringFunnel(StandardCharsets.UTF_8), 1_000, 0.001);
    long[] hash = new long[filter.hashWords()];
    for (int i = 0; i < 1_000; i++) {
      String key = "key-" + i + "-\u00e9-\ud83d\ude00";
      filter.hash(key, hash);
      filter.addHash(hash, 0);
      guavas.put(key);
    }
    ByteArrayOutputStream own = new ByteArrayOutputStream();
    ByteArrayOutputStream theirs = new ByteArrayOutputStream();
    filter.writeBits(own);
    guavas.writeTo(theirs);
    assertThat(own.toByteArray()).isEqualTo(theirs.toByteArray());
  }
}
