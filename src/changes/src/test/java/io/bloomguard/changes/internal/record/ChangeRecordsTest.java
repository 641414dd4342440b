package io.bloomguard.changes.internal.record;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bloomguard.changes.internal.record.ChangeRecords.Format;
import io.bloomguard.generation.Change;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Records as the programs of the field write them. */
class ChangeRecordsTest {

  private static final String SOURCE =
      "\"source\":{\"version\":\"3.4.0.Final\",\"connector\":\"postgresql\",\"ts_ms\":1000,\"db\":"
          + "\"shop\",\"schema\":\"public\",\"table\":\"products\",\"txId\":556},";

  private static ChangeRecords records(Format format, String table, String... columns) {
    return new ChangeRecords(format, List.of(columns), table);
  }

  private static List<Change> read(ChangeRecords records, @Nullable String value) {
    return read(records, null, value);
  }

  private static List<Change> read(
      ChangeRecords records, @Nullable String key, @Nullable String value) {
    List<Change> changes = new ArrayList<>();
    records.read(
        key == null ? null : key.getBytes(UTF_8),
        value == null ? null : value.getBytes(UTF_8),
        changes);
    return changes.stream().map(change -> change.of(null)).toList();
  }

  private static List<Change> read(String value) {
    return read(records(Format.AUTO, "", "id"), value);
  }

  private static String debezium(String op, String before, String after) {
    return "{\"before\":"
        + before
        + ",\"after\":"
        + after
        + ","
        + SOURCE
        + "\"op\":\""
        + op
        + "\",\"ts_ms\":1250,\"transaction\":null}";
  }

  private static String wrapped(String payload) {
    return "{\"schema\":{\"type\":\"struct\",\"fields\":[{\"type\":\"int64\",\"field\":\"op\"},"
        + "{\"payload\":[1]}],\"name\":\"shop.Envelope\"},\"payload\":"
        + payload
        + "}";
  }

  @Test
  void debeziumTellsWhatBecameOfARow() {
    assertThat(read(debezium("c", "null", "{\"id\":7,\"name\":\"x\",\"tags\":[{\"id\":1}]}")))
        .containsExactly(Change.inserted(7L));
    assertThat(read(debezium("r", "null", "{\"id\":7}"))).containsExactly(Change.present(7L));
    assertThat(read(debezium("u", "{\"id\":6}", "{\"id\":7}")))
        .containsExactly(Change.updated(6L, 7L));
    assertThat(read(debezium("d", "{\"id\":7,\"name\":\"\"}", "null")))
        .containsExactly(Change.deleted(7L));
    assertThat(read(debezium("t", "null", "null"))).containsExactly(Change.truncated());
    assertThat(read(debezium("m", "null", "null"))).isEmpty();
  }

  /** Its number in PostgreSQL, its GTID in MariaDB and MySQL. */
  @Test
  void debeziumTellsTheTransaction() {
    String record = debezium("c", "null", "{\"id\":7}");
    assertThat(transaction(record)).isEqualTo("556");
    assertThat(transaction(record.replace("\"txId\":556", "\"gtid\":\"0-1-7\"")))
        .isEqualTo("0-1-7");
    assertThat(transaction(record.replace("556", "null"))).isNull();
  }

  private static @Nullable String transaction(String value) {
    List<Change> changes = new ArrayList<>();
    records(Format.AUTO, "", "id").read(null, value.getBytes(UTF_8), changes);
    return changes.get(0).transaction();
  }

  @Test
  void aSchemaBesideTheMessageIsPassedOver() {
    assertThat(read(wrapped(debezium("c", "null", "{\"id\":\"sku-1\"}"))))
        .containsExactly(Change.inserted("sku-1"));
    assertThat(read(wrapped("null"))).isEmpty();
  }

  @Test
  void theConnectorsDelayIsToldByItsTimes() {
    ChangeRecords records = records(Format.DEBEZIUM, "", "id");
    read(records, debezium("c", "null", "{\"id\":7}"));
    assertThat(records.delayMillis()).isEqualTo(250);
    read(records, debezium("r", "null", "{\"id\":7}"));
    assertThat(records.delayMillis()).isZero();
  }

  @Test
  void rowsAloneAreTakenByTheirColumns() {
    assertThat(read("{\"id\":7,\"name\":\"x\"}")).containsExactly(Change.present(7L));
    assertThat(read(wrapped("{\"id\":7}"))).containsExactly(Change.present(7L));
    assertThat(read("{\"id\":7,\"__op\":\"c\",\"__deleted\":\"false\"}"))
        .containsExactly(Change.inserted(7L));
    assertThat(read("{\"id\":7,\"__deleted\":\"true\"}")).containsExactly(Change.deleted(7L));
    assertThat(read("{\"id\":7,\"__deleted\":true}")).containsExactly(Change.deleted(7L));
  }

  /** As of a row that gets its code later. */
  @Test
  void aKeyThatWasNullIsNew() {
    String update = debezium("u", "{\"id\":null}", "{\"id\":7}");
    assertThat(read(records(Format.AUTO, "", "id"), "{\"id\":7}", update))
        .containsExactly(Change.present(7L));
    assertThat(read(canal("UPDATE", false, "[{\"id\":\"7\"}]", "[{\"id\":null}]")))
        .containsExactly(Change.present("7"));
    assertThat(read(maxwell("update", "{\"id\":7}", "{\"id\":null}")))
        .containsExactly(Change.present(7L));
  }

  /** As rows alone do, and Debezium's under the replica identity DEFAULT. */
  @Test
  void anUpdateThatDoesNotTellTheKeyBeforeMayHaveChangedItUnlessItIsThatOfTheRecord() {
    for (String update :
        List.of("{\"id\":7,\"__op\":\"u\"}", debezium("u", "null", "{\"id\":7}"))) {
      ChangeRecords records = records(Format.AUTO, "", "id");
      assertThat(read(records, "{\"id\":7}", update)).containsExactly(Change.updated(null, 7L));
      assertThat(read(records, wrapped("{\"id\":7}"), update))
          .containsExactly(Change.updated(null, 7L));
      assertThat(read(records, "{\"number\":1}", update)).containsExactly(Change.present(7L));
      assertThat(read(records, "7", update)).containsExactly(Change.present(7L));
      assertThat(read(records, update)).containsExactly(Change.present(7L));
    }
  }

  /** Where a deletion has a record of its own, its tombstone says nothing more. */
  @Test
  void aTombstoneIsADeletionAmongRowsAlone() {
    ChangeRecords records = records(Format.AUTO, "", "id");
    read(records, "{\"id\":7,\"name\":\"x\"}");
    assertThat(read(records, "{\"id\":7}", null)).containsExactly(Change.deleted(7L));
    assertThat(read(records, wrapped("{\"id\":8}"), null)).containsExactly(Change.deleted(8L));
    assertThat(read(records, "{\"other\":7}", null)).isEmpty();
    assertThat(read(records, "no json", null)).isEmpty();
    assertThat(read(records, null, null)).isEmpty();
    read(records, "{\"id\":7,\"__deleted\":\"true\"}");
    assertThat(read(records, "{\"id\":7}", null)).isEmpty();
    read(records, debezium("d", "{\"id\":7}", "null"));
    assertThat(read(records, "{\"id\":7}", null)).isEmpty();
  }

  private static String canal(String type, boolean ddl, String data, String old) {
    return "{\"data\":"
        + data
        + ",\"database\":\"shop\",\"es\":1000,\"id\":3,\"isDdl\":"
        + ddl
        + ",\"mysqlType\":{\"id\":\"bigint\"},\"old\":"
        + old
        + ",\"pkNames\":[\"id\"],\"sql\":\"\",\"sqlType\":{\"id\":-5},\"table\":\"products\","
        + "\"ts\":1100,\"type\":\""
        + type
        + "\"}";
  }

  @Test
  void canalHasSeveralRowsInAMessage() {
    assertThat(read(canal("INSERT", false, "[{\"id\":\"1\"},{\"id\":\"2\"}]", "null")))
        .containsExactly(Change.inserted("1"), Change.inserted("2"));
    assertThat(
            read(
                canal(
                    "UPDATE",
                    false,
                    "[{\"id\":\"1\",\"n\":\"b\"},{\"id\":\"3\"}]",
                    "[{\"n\":\"a\"},{\"id\":\"2\"}]")))
        .containsExactly(Change.updated("1", "1"), Change.updated("2", "3"));
    assertThat(read(canal("DELETE", false, "[{\"id\":\"1\"}]", "null")))
        .containsExactly(Change.deleted("1"));
    assertThat(read(canal("TRUNCATE", true, "null", "null"))).containsExactly(Change.truncated());
    assertThat(read(canal("ALTER", true, "null", "null"))).isEmpty();
  }

  private static String maxwell(String type, String data, String old) {
    return "{\"database\":\"shop\",\"table\":\"products\",\"type\":\""
        + type
        + "\",\"ts\":1449786310,\"xid\":940752,\"commit\":true,\"data\":"
        + data
        + (old.isEmpty() ? "" : ",\"old\":" + old)
        + "}";
  }

  @Test
  void maxwellHasOneRowInAMessage() {
    assertThat(read(maxwell("insert", "{\"id\":1}", ""))).containsExactly(Change.inserted(1L));
    assertThat(read(maxwell("bootstrap-insert", "{\"id\":1}", "")))
        .containsExactly(Change.present(1L));
    assertThat(read(maxwell("update", "{\"id\":2,\"n\":\"b\"}", "{\"id\":1,\"n\":\"a\"}")))
        .containsExactly(Change.updated(1L, 2L));
    assertThat(read(maxwell("update", "{\"id\":2,\"n\":\"b\"}", "{\"n\":\"a\"}")))
        .containsExactly(Change.updated(2L, 2L));
    assertThat(read(maxwell("delete", "{\"id\":1}", ""))).containsExactly(Change.deleted(1L));
    assertThat(read(maxwell("bootstrap-start", "{}", ""))).isEmpty();
    assertThat(read(maxwell("table-alter", "null", ""))).isEmpty();
  }

  @Test
  void changesOfOtherTablesDoNotCount() {
    String other = maxwell("insert", "{\"name\":1}", "").replace("products", "stores");
    for (String table : List.of("products", "shop.products")) {
      ChangeRecords records = records(Format.AUTO, table, "id");
      assertThat(read(records, other)).isEmpty();
      assertThat(read(records, maxwell("insert", "{\"id\":1}", ""))).hasSize(1);
      assertThat(read(records, canal("INSERT", false, "[{\"id\":\"1\"}]", "null"))).hasSize(1);
    }
    assertThat(
            read(
                records(Format.AUTO, "public.products", "id"), debezium("c", "null", "{\"id\":7}")))
        .hasSize(1);
    assertThat(read(records(Format.AUTO, "sales.products", "id"), debezium("t", "null", "null")))
        .isEmpty();
    assertThatThrownBy(() -> read(records(Format.AUTO, "products", "id"), "{\"id\":1}"))
        .isInstanceOf(UnreadableRecordException.class)
        .hasMessageContaining("names no table");
  }

  @Test
  void aKeyOfSeveralColumnsIsAList() {
    ChangeRecords records = records(Format.AUTO, "", "tenant", "id");
    assertThat(read(records, debezium("c", "null", "{\"id\":7,\"tenant\":\"a\"}")))
        .containsExactly(Change.inserted(List.of("a", 7L)));
    assertThat(
            read(records, maxwell("update", "{\"id\":7,\"tenant\":\"b\"}", "{\"tenant\":\"a\"}")))
        .containsExactly(Change.updated(List.of("a", 7L), List.of("b", 7L)));
    assertThat(read(records, debezium("c", "null", "{\"id\":7,\"tenant\":null}")))
        .containsExactly(Change.inserted(null));
  }

  @Test
  void aLargeNumberKeepsItsDigits() {
    assertThat(read("{\"id\":18446744073709551615}"))
        .containsExactly(Change.present(new BigInteger("18446744073709551615")));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "no json",
        "[1]",
        "7",
        "{\"name\":\"secret-key\"}",
        "{\"id\":1.5}",
        "{\"id\":{\"scale\":0,\"value\":\"AQ==\"}}",
        "{\"id\":true}",
        "{\"op\":\"x\",\"source\":{},\"after\":{\"id\":1}}",
        "{\"op\":\"c\",\"source\":{},\"after\":{\"name\":\"secret-key\"}}",
        "{\"op\":\"d\",\"source\":{},\"before\":null}",
        "{\"type\":\"upsert\",\"database\":\"d\",\"data\":{\"id\":1}}",
        "{\"type\":\"INSERT\",\"isDdl\":false,\"data\":[{\"name\":\"secret-key\"}]}",
        "{\"payload\":\"secret-key\"}",
        "{\"id\":1"
      })
  void whatTellsOfNoChangeIsRefusedWithoutItsContent(String value) {
    assertThatThrownBy(() -> read(value))
        .isInstanceOf(UnreadableRecordException.class)
        .hasMessageNotContaining("secret-key");
  }

  @Test
  void aFormThatIsSetIsTheOnlyOne() {
    ChangeRecords rows = records(Format.ROW, "", "id");
    assertThat(read(rows, "{\"id\":1,\"op\":\"c\",\"source\":{\"id\":2}}"))
        .containsExactly(Change.present(1L));
    assertThatThrownBy(() -> read(records(Format.CANAL, "", "id"), "{\"id\":1}"))
        .isInstanceOf(UnreadableRecordException.class)
        .hasMessageContaining("source.changes.format");
  }
}
