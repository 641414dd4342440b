package io.bloomguard.filter.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.HashSecret;
import io.bloomguard.filter.KeyHasher;
import io.bloomguard.filter.Layout;
import io.bloomguard.filter.SipHash;
import io.bloomguard.filter.Sizing;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class BlockedFilterTest {

  private static final KeyHasher HASHER =
      SipHash.oneThree(HashSecret.parse("000102030405060708090a0b0c0d0e0f"));

  private final FilterShape shape = Sizing.blocked(20_000, 0.01, 4);
  private final BlockedFilter filter = new BlockedFilter(shape, HASHER);

  @BeforeEach
  void fill() {
    for (long key = 0; key < 20_000; key++) {
      filter.add(key);
    }
  }

  @ParameterizedTest
  @CsvSource({"1, 3", "2, 7", "4, 11", "8, 16"})
  void theBitsOfAKeyAreTheMasksOfItsGeometry(int blockWords, int hashes) {
    FilterShape small =
        new FilterShape(Layout.BLOCKED, 9, 0.5, 9 * 64L * blockWords, blockWords, hashes);
    long[] masks = new long[blockWords];
    for (long key = 0; key < 500; key++) {
      BlockedFilter one = new BlockedFilter(small, HASHER);
      one.add(key);
      long hash = HASHER.hash(key);
      one.geometry().masks(hash, masks);
      long first = one.geometry().blockIndex(hash) * blockWords;
      for (long word = 0; word < one.words(); word++) {
        boolean within = word >= first && word < first + blockWords;
        assertThat(one.word(word)).isEqualTo(within ? masks[(int) (word - first)] : 0);
      }
    }
  }

  /** Two threads meet at each key: set word by word without a lock, some keys are new to both. */
  @ParameterizedTest
  @ValueSource(ints = {4, 8})
  void ofTwoThatAddAKeyAtOnceOneChangesIt(int blockWords) throws Exception {
    int keys = 5_000;
    BlockedFilter fresh = new BlockedFilter(Sizing.blocked(keys, 1e-4, blockWords), HASHER);
    boolean[][] changed = new boolean[2][keys];
    AtomicInteger arrived = new AtomicInteger();
    Thread[] adders = new Thread[2];
    for (int adder = 0; adder < 2; adder++) {
      boolean[] mine = changed[adder];
      adders[adder] =
          new Thread(
              () -> {
                for (int key = 0; key < keys; key++) {
                  meet(arrived, 2 * (key + 1));
                  mine[key] = fresh.add(key);
                }
              });
      adders[adder].start();
    }
    for (Thread adder : adders) {
      adder.join();
    }
    int never = 0;
    for (int key = 0; key < keys; key++) {
      assertThat(changed[0][key] && changed[1][key]).as("new to both: key %s", key).isFalse();
      never += changed[0][key] || changed[1][key] ? 0 : 1;
    }
    assertThat(never).as("false positives").isLessThan(keys / 500);
  }

  @SuppressWarnings("ThreadPriorityCheck") // Nothing relies on it; it spares a busy machine.
  private static void meet(AtomicInteger arrived, int all) {
    arrived.incrementAndGet();
    for (int spins = 0; arrived.get() < all; spins++) {
      if (spins > 1_000) {
        Thread.yield();
      } else {
        Thread.onSpinWait();
      }
    }
  }

  @Test
  void theImageIsBigEndianWords() {
    ByteBuffer image = ByteBuffer.allocate((int) shape.sizeBytes() + 1);
    filter.readWords(0, image);
    assertThat(image.position()).isEqualTo((int) shape.sizeBytes());
    for (int i = 0; i < filter.words(); i++) {
      assertThat(image.getLong(8 * i)).isEqualTo(filter.word(i));
    }
  }

  @Test
  void anyRunOfWordsCanBeReadWhateverTheOrderOfTheBuffer() {
    ByteBuffer target = ByteBuffer.allocate(3 * 8 + 5).order(ByteOrder.LITTLE_ENDIAN);
    filter.readWords(7, target);
    assertThat(target.position()).isEqualTo(24);
    assertThat(target.order()).isEqualTo(ByteOrder.LITTLE_ENDIAN);
    target.order(ByteOrder.BIG_ENDIAN);
    for (int i = 0; i < 3; i++) {
      assertThat(target.getLong(8 * i)).isEqualTo(filter.word(7 + i));
    }
    target.clear();
    filter.readWords(filter.words() - 1, target);
    assertThat(target.position()).isEqualTo(8);
  }

  @Test
  void aFilterOfAnImageIsTheFilterItCameFrom() {
    ByteBuffer image = image();
    BlockedFilter read = new BlockedFilter(shape, HASHER);
    read.mergeWords(0, image);
    assertThat(image.hasRemaining()).isFalse();
    assertThat(image(read).flip()).isEqualTo(image());
    assertThat(read.fillRatio()).isEqualTo(filter.fillRatio());
    assertThat(read.estimatedElements()).isEqualTo(filter.estimatedElements());
  }

  @Test
  void mergingOnlyAddsAndCountsWhatIsNew() {
    BlockedFilter other = new BlockedFilter(shape, HASHER);
    other.add("only there");
    double before = filter.fillRatio();
    other.mergeWords(0, image());
    assertThat(other.mightContain("only there")).isTrue();
    assertThat(other.mightContain(19_999)).isTrue();
    other.mergeWords(0, image());
    BlockedFilter both = new BlockedFilter(shape, HASHER);
    both.mergeWords(0, image());
    both.add("only there");
    assertThat(other.fillRatio()).isEqualTo(both.fillRatio()).isGreaterThan(before);
  }

  @Test
  void anImageOfAnotherSizeIsRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> filter.mergeWords(0, ByteBuffer.allocate(9)));
    assertThatExceptionOfType(IndexOutOfBoundsException.class)
        .isThrownBy(() -> filter.mergeWords(filter.words(), ByteBuffer.allocate(8)));
    assertThatExceptionOfType(IndexOutOfBoundsException.class)
        .isThrownBy(() -> filter.mergeWords(-1, ByteBuffer.allocate(8)));
  }

  private ByteBuffer image() {
    return image(filter).flip();
  }

  private ByteBuffer image(BlockedFilter source) {
    ByteBuffer image = ByteBuffer.allocateDirect((int) shape.sizeBytes());
    source.readWords(0, image);
    return image;
  }
}
