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
        "jdbc:mysql://h/d",
        "jdbc:postgresql://one,two/d",
        "jdbc:postgresql:d",
        "jdbc:mariadb:replication://one,two/d"
      })
  void anAddressOfNoOneServerIsNone(String url) {
    assertThat(DatabaseAddress.parse(url, "u", "p")).isNull();
  }

  @Test
  void aPositionOfABinaryLogIsAText() {
    BinlogPosition position = new BinlogPosition("binlog.000009", 4905, "0-1-23", 3, "7a");
    assertThat(BinlogPosition.parse(position.text())).isEqualTo(position);
    assertThat(BinlogPosition.parse("0:1,1:0")).isNull();
    assertThat(BinlogPosition.parse(null)).isNull();
    assertThat(position.isAfter("0-1-23")).isTrue();
    assertThat(position.isAfter("0-2-24")).isFalse();
    assertThat(position.isAfter("0-1-9,4-1-1")).isFalse();
    assertThat(position.isAfter("")).isTrue();
  }
}
