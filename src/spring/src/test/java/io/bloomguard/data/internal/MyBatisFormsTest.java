package io.bloomguard.data.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bloomguard.annotation.BloomKey;
import io.bloomguard.data.internal.row.RowGuards;
import io.bloomguard.guard.PendingWrites;
import io.bloomguard.guard.RecordedGuards;
import io.bloomguard.guard.StartRefusedException;
import io.bloomguard.guard.Transactions;
import io.bloomguard.transaction.internal.SpringTransactions;
import java.sql.CallableStatement;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;
import org.apache.ibatis.annotations.Delete;
import org.apache.ibatis.annotations.Insert;
import org.apache.ibatis.annotations.Param;
import org.apache.ibatis.annotations.Update;
import org.apache.ibatis.mapping.Environment;
import org.apache.ibatis.session.Configuration;
import org.apache.ibatis.session.SqlSession;
import org.apache.ibatis.session.SqlSessionFactory;
import org.apache.ibatis.session.defaults.DefaultSqlSessionFactory;
import org.apache.ibatis.transaction.jdbc.JdbcTransactionFactory;
import org.apache.ibatis.type.BaseTypeHandler;
import org.apache.ibatis.type.EnumOrdinalTypeHandler;
import org.apache.ibatis.type.JdbcType;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/** The key of a row is what its column holds, whatever handler MyBatis binds it by. */
class MyBatisFormsTest {

  enum Kind {
    A,
    B
  }

  @BloomKey(filter = "kinds", attribute = "kind")
  record Row(long id, Kind kind) {}

  @BloomKey(filter = "mails", attribute = "mail")
  record User(long id, String mail) {}

  /** A key in another form, of the same type. */
  public static class Reversed extends BaseTypeHandler<String> {
    @Override
    public void setNonNullParameter(PreparedStatement to, int i, String value, JdbcType type)
        throws SQLException {
      to.setString(i, new StringBuilder(value).reverse().toString());
    }

    @Override
    public String getNullableResult(ResultSet rows, String column) throws SQLException {
      return rows.getString(column);
    }

    @Override
    public String getNullableResult(ResultSet rows, int column) throws SQLException {
      return rows.getString(column);
    }

    @Override
    public String getNullableResult(CallableStatement call, int column) throws SQLException {
      return call.getString(column);
    }
  }

  interface Rows {
    @Insert("insert into shelf (id, kind) values (#{id}, #{kind})")
    int insert(Row row);

    @Insert(
        "<script>insert into shelf (id, kind) values <foreach collection='rows' item='row'"
            + " separator=','>(#{row.id}, #{row.kind})</foreach></script>")
    int insertAll(@Param("rows") List<Row> rows);

    @Update("update shelf set kind = #{row.kind} where id = #{row.id}")
    int update(@Param("row") Row row);

    @Delete("delete from shelf where id = #{id}")
    int delete(Row row);
  }

  private static final String ORDINAL = "org.apache.ibatis.type.EnumOrdinalTypeHandler";

  interface Inline {
    @Insert("insert into shelf (id, kind) values (#{id}, #{kind, typeHandler=" + ORDINAL + "})")
    int insert(Row row);

    @Delete("delete from shelf where id = #{id}")
    int delete(Row row);
  }

  interface Dynamic {
    @Insert(
        "<script>insert into shelf (id, kind) values <foreach collection='rows' item='row'"
            + " separator=','>(#{row.id}, #{row.kind, typeHandler="
            + ORDINAL
            + "})</foreach></script>")
    int insertAll(@Param("rows") List<Row> rows);

    @Delete("delete from shelf where id = #{id}")
    int delete(Row row);
  }

  private static final String REVERSED =
      "#{user.mail, typeHandler=io.bloomguard.data.internal.MyBatisFormsTest$Reversed}";

  interface Mails {
    @Insert("insert into users (id, mail) values (#{user.id}, " + REVERSED + ")")
    int insert(@Param("user") User user);
  }

  interface DynamicMails {
    @Insert(
        "<script>insert into users (id, mail) values (#{user.id}, <if test='user != null'>"
            + REVERSED
            + "</if>)</script>")
    int insert(@Param("user") User user);
  }

  private final RecordedGuards guards =
      new RecordedGuards(Transactions.NONE, PendingWrites.NONE, "kinds", "mails");
  private final DriverManagerDataSource database =
      new DriverManagerDataSource("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");

  @BeforeEach
  void create() {
    JdbcTemplate template = new JdbcTemplate(database);
    template.execute("create table shelf (id bigint, kind varchar)");
    template.execute("create table users (id bigint, mail varchar)");
  }

  private SqlSessionFactory start(boolean ordinal, Class<?> mapper) {
    Configuration configuration =
        new Configuration(new Environment("test", new JdbcTransactionFactory(), database));
    if (ordinal) {
      configuration.setDefaultEnumTypeHandler(EnumOrdinalTypeHandler.class);
    }
    SqlSessionFactory factory = new DefaultSqlSessionFactory(configuration);
    MyBatisWrites writes =
        new MyBatisWrites(
            new RowGuards(() -> guards, SpringTransactions::new, 1_000, filter -> null));
    writes.postProcessAfterInitialization(factory, "factory");
    configuration.addMapper(mapper);
    writes.afterSingletonsInstantiated();
    return factory;
  }

  @Test
  void aRegisteredHandlerGivesTheForm() {
    try (SqlSession session = start(true, Rows.class).openSession(true)) {
      Rows rows = session.getMapper(Rows.class);
      rows.insert(new Row(7, Kind.B));
      assertThat(guards.holds("kinds", 1)).isTrue();
      assertThat(guards.holds("kinds", Kind.B)).isFalse();
      rows.update(new Row(7, Kind.A));
      assertThat(guards.holds("kinds", 0)).isTrue();
      session.commit();
      guards.clear();
      rows.insertAll(List.of(new Row(8, Kind.A), new Row(9, Kind.B)));
      assertThat(guards.holds("kinds", 0) && guards.holds("kinds", 1)).isTrue();
      guards.keep("kinds", 1, "kept");
      rows.delete(new Row(7, Kind.B));
      assertThat(guards.isKept("kinds", 1)).as("of a statement that does not bind it").isFalse();
    }
    assertThat(guards.asked("kinds", Kind.class, "Rows.find")).contains("Row", "a number");
  }

  @Test
  void aHandlerOfAStatementGivesTheForm() {
    try (SqlSession session = start(false, Inline.class).openSession(true)) {
      assertThat(guards.asked("kinds", Kind.class, "Rows.find")).contains("Row", "a number");
      Inline rows = session.getMapper(Inline.class);
      rows.insert(new Row(7, Kind.B));
      assertThat(guards.holds("kinds", 1)).isTrue();
      guards.keep("kinds", 1, "kept");
      rows.delete(new Row(7, Kind.B));
      assertThat(guards.isKept("kinds", 1)).isFalse();
    }
  }

  @Test
  void aHandlerInDynamicSqlGivesTheFormOnceItRuns() {
    try (SqlSession session = start(false, Dynamic.class).openSession(true)) {
      Dynamic rows = session.getMapper(Dynamic.class);
      rows.insertAll(List.of(new Row(7, Kind.A), new Row(8, Kind.B)));
      assertThat(guards.holds("kinds", 0) && guards.holds("kinds", 1)).isTrue();
      guards.keep("kinds", 1, "kept");
      rows.delete(new Row(8, Kind.B));
      assertThat(guards.isKept("kinds", 1)).isFalse();
    }
    assertThat(guards.asked("kinds", Kind.class, "Rows.find")).contains("Row", "a number");
  }

  @Test
  void aFormThatLookupsCannotTellApartIsRefused() {
    assertThatThrownBy(() -> start(false, Mails.class))
        .isInstanceOf(StartRefusedException.class)
        .hasMessageContaining("'mail', which its column holds in another form");
    try (SqlSession session = start(false, DynamicMails.class).openSession(true)) {
      DynamicMails mails = session.getMapper(DynamicMails.class);
      assertThatThrownBy(() -> mails.insert(new User(1, "ann@x")))
          .hasRootCauseInstanceOf(StartRefusedException.class);
    }
    assertThat(new JdbcTemplate(database).queryForList("select id from users")).isEmpty();
  }
}
