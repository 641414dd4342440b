package io.bloomguard.changes.internal.database;

import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.changes.internal.database.DatabaseAddress.Product;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DatabaseAddressTest {

  @Test
  void anAddressHasItsParts() {
    assertThat(
            DatabaseAddress.parse(
                "jdbc:postgresql://db.example:6432/shop%20one?sslmode=require&a=b%26c", "u", "p"))
        .isEqualTo(
            new DatabaseAddress(
                Product.POSTGRESQL,
                "db.example",
                6432,
                "shop%20one",
                "u",
                "p",
                Map.of("sslmode", "require", "a", "b&c")));
  }

  @Test
  void theUserMayBeInTheUrl() {
    assertThat(DatabaseAddress.parse("jdbc:mariadb://[::1]/shop?user=u&password=p", null, null))
        .isEqualTo(new DatabaseAddress(Product.MARIADB, "[::1]", 3306, "shop", "u", "p", Map.of()));
  }

  @Test
  void aPasswordIsNotShown() {
    assertThat(DatabaseAddress.parse("jdbc:postgresql://h/d", "u", "secret"))
        .asString()
        .doesNotContain("secret");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "jdbc:h2:mem:x",
        "jdbc:mysql://one,two/d",
        "jdbc:mysql://u:p@h/d",
        "jdbc:mysql://address=(host=h)/d",
        "jdbc:mysql+srv://h/d",
        "jdbc:postgresql://one,two/d",
        "jdbc:postgresql:d",
        "jdbc:mariadb:replication://one,two/d"
      })
  void anAddressOfNoOneServerIsNone(String url) {
    assertThat(DatabaseAddress.parse(url, "u", "p")).isNull();
  }

  @Test
  void aPositionOfABinaryLogIsAText() {
    BinlogPosition position =
        new BinlogPosition("binlog.000009", 4905, "3e11-f0:1-23,4f-a:1", 3, "7a");
    assertThat(BinlogPosition.parse(position.text())).isEqualTo(position);
    assertThat(BinlogPosition.parse("0:1,1:0")).isNull();
    assertThat(BinlogPosition.parse(null)).isNull();
    assertThat(position.hasReached(position)).isTrue();
    assertThat(position.hasReached(at("binlog.000009", 4906))).isFalse();
    assertThat(position.hasReached(at("binlog.000010", 4))).isFalse();
    assertThat(at("binlog.1000000", 4).hasReached(at("binlog.999999", 5000))).isTrue();
  }

  private static BinlogPosition at(String file, long offset) {
    return new BinlogPosition(file, offset, "", 3, "7a");
  }
}
