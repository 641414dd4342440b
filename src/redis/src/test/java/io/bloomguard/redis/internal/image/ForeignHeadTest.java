package io.bloomguard.redis.internal.image;

import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.KeyFolding;
import io.bloomguard.filter.Layout;
import io.bloomguard.filter.internal.Fingerprint;
import io.bloomguard.redis.internal.image.RedisHead.Condition;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ForeignHeadTest {

  private static final String OURS = "1;siphash-1-3;0a1b2c3d;4";

  private final Fingerprint own =
      new Fingerprint(
          "items",
          new FilterShape(Layout.BLOCKED, 100, 0.001, 2048, 8, 9),
          "siphash-1-3",
          "0a1b2c3d",
          4,
          0,
          KeyFolding.EXACT);

  @Test
  void eachSettingThatDiffersIsNamedAndNoOther() {
    assertThat(differences("1;siphash-2-4;0a1b2c3d;4"))
        .isEqualTo("its hash is siphash-2-4, here siphash-1-3 (bloomguard.filters.items.hash)");
    assertThat(differences("1;siphash-1-3;ffffffff;4"))
        .startsWith("its hash secret has the identifier ffffffff, here 0a1b2c3d (bloomguard.hash-")
        .doesNotContain("partitions", "folding", "format");
    assertThat(differences("1;siphash-1-3;0a1b2c3d;2"))
        .startsWith("its number of partitions is 2, here 4 (bloomguard.filters.items.expected-")
        .doesNotContain("secret");
    assertThat(differences(OURS + ";lower.trailing.nfc"))
        .isEqualTo(
            "its folding of keys is lower.trailing.nfc, here exact.none.none"
                + " (bloomguard.filters.items.keys)");
    assertThat(differences("2;siphash-2-4;0a1b2c3d;4"))
        .contains("canonical form of keys is 2, here 1", "; its hash is siphash-2-4");
    assertThat(differences(OURS + ">1;siphash-2-4;0a1b2c3d;4"))
        .isEqualTo(
            "it changes to others: its hash is siphash-2-4, here siphash-1-3"
                + " (bloomguard.filters.items.hash)");
  }

  @Test
  void everyCauseIsNamedIfTheHeadDoesNotTell() {
    assertThat(differences("anything")).isEqualTo(ForeignHead.unknown("items"));
    RedisHead newer = read(Map.of("format", "3", "hashing", OURS));
    assertThat(ForeignHead.differences(newer, own))
        .contains("format", "hash (", "hash secret", "number of partitions", "folding of keys");
  }

  private String differences(String scheme) {
    return ForeignHead.differences(read(Map.of("format", "2", "hashing", scheme)), own);
  }

  private RedisHead read(Map<String, String> fields) {
    PartitionKeys keys = new PartitionKeys("bloomguard", "items", 0, false);
    RedisHead head = RedisHead.parse(fields, keys, own, HashScheme.Mark.of(HashScheme.of(own)));
    assertThat(head.condition()).isEqualTo(Condition.FOREIGN);
    return head;
  }
}
