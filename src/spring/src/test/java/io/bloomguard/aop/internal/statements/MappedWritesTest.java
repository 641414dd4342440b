package io.bloomguard.aop.internal.statements;

import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.annotation.BloomGuarded;
import io.bloomguard.annotation.BloomKey;
import io.bloomguard.annotation.BloomPut;
import io.bloomguard.annotation.Caching;
import io.bloomguard.annotation.When;
import io.bloomguard.aop.Guarding;
import io.bloomguard.aop.MappedStatements;
import io.bloomguard.aop.TestGuards;
import io.bloomguard.aop.internal.statements.UnguardedWrites.Policy;
import io.bloomguard.guard.Transactions;
import java.io.ByteArrayInputStream;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.ibatis.annotations.Insert;
import org.apache.ibatis.annotations.Options;
import org.apache.ibatis.annotations.Param;
import org.apache.ibatis.annotations.Select;
import org.apache.ibatis.annotations.SelectKey;
import org.apache.ibatis.annotations.Update;
import org.apache.ibatis.builder.xml.XMLMapperBuilder;
import org.apache.ibatis.session.Configuration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;

/** MyBatis tells of each method of a mapper what it writes, whatever its name. */
@ExtendWith(OutputCaptureExtension.class)
class MappedWritesTest {

  record User(long id, String name) {}

  /** As applications have them: statements in XML, updates by the id, the lookup by the name. */
  interface Common {
    int resetPassword(@Param("id") long id, @Param("password") String password);
  }

  interface Users extends Common {
    @BloomGuarded(filter = "products", key = "#name")
    @Nullable User findByName(String name);

    int register(User user);

    int disable(long id);

    List<Long> importAll(List<User> users);

    List<User> search(String part);

    @BloomPut(filter = "products", key = "#user.name")
    int change(User user);
  }

  interface UsersWithoutValues extends Common {
    @BloomGuarded(filter = "products", key = "#name", caching = Caching.NULLS)
    @Nullable User findByName(String name);

    @Insert("insert into users (name) values (#{name})")
    int register(User user);

    @Update("update users set enabled = false where id = #{id}")
    int disable(long id);

    int deleteByIds(List<Long> ids);
  }

  interface UsersThatOnlyChange {
    @BloomGuarded(filter = "products", key = "#name", caching = Caching.NULLS)
    @Nullable User findByName(String name);

    @Update("update users set enabled = false where id = #{id}")
    int disable(long id);
  }

  interface Inserts {
    @BloomPut(filter = "products", key = "#user.id", when = When.AFTER)
    @Insert("insert into users (name) values (#{name})")
    int keyless(User user);

    @BloomPut(filter = "products", key = "#user.id", when = When.AFTER)
    @Insert("insert into users (name) values (#{user.name})")
    int keylessOfTwo(@Param("user") User user, @Param("tenant") String tenant);

    @BloomPut(filter = "products", key = "#user.id", when = When.AFTER)
    @Insert("insert into users (name) values (#{name})")
    @Options(useGeneratedKeys = true, keyProperty = "id")
    int generated(User user);

    @BloomPut(filter = "products", key = "#user.id", when = When.AFTER)
    @Insert("insert into users (id, name) values (#{id}, #{name})")
    @SelectKey(
        statement = "select next value for ids",
        keyProperty = "id",
        before = true,
        resultType = long.class)
    int selected(User user);

    @BloomPut(filter = "products", key = "#result", when = When.AFTER)
    @Select(value = "insert into users (name) values (#{name}) returning id", affectData = true)
    long answered(User user);

    @BloomPut(filter = "products", key = "#user.id")
    @Insert("insert into users (id, name) values (#{id}, #{name})")
    int assigned(User user);

    @BloomPut(filter = "products", key = "#user.id", when = When.AFTER)
    @Update("update users set name = #{name} where id = #{id}")
    int change(User user);
  }

  @Test
  void writesAreSeenWhateverTheirNames(CapturedOutput output) {
    start(Users.class);
    assertThat(warnings(output))
        .singleElement()
        .asString()
        .contains(
            "guard: disable(long), importAll(List), register(User), resetPassword(long, String)"
                + " ('products')")
        .contains("stays cached")
        .contains("Caching.NULLS")
        .contains("@BloomKey");
  }

  @Test
  void ofLookupsThatKeepNoValuesOnlyInsertsAreNamed(CapturedOutput output) {
    start(UsersWithoutValues.class);
    assertThat(warnings(output))
        .singleElement()
        .asString()
        .contains("guard: register(User) ('products')")
        .contains("are rejected until the next rebuild")
        .doesNotContain("stays cached")
        .doesNotContain("NULLS");
  }

  @Test
  void nothingIsSaidWhereNoValueIsKeptAndNothingInserted(CapturedOutput output) {
    start(UsersThatOnlyChange.class);
    assertThat(warnings(output)).isEmpty();
  }

  @BloomKey(filter = "products")
  record Row(long id) {}

  /** As MyBatis-Plus has it. */
  interface Base<T> {
    int insert(T row);

    default void insert(List<T> rows) {}
  }

  interface Keyed extends Base<Row> {
    @BloomGuarded(filter = "products", key = "#id")
    @Nullable User findById(long id);

    @Insert("insert into product (id) values (#{id})")
    @Override
    int insert(Row row);

    @Insert("insert into product (id) values (1)")
    int insertFixed();
  }

  interface Overloaded extends Base<User> {
    @BloomGuarded(filter = "products", key = "#id", caching = Caching.NULLS)
    @Nullable User findById(long id);

    @BloomPut(filter = "products", key = "#user.id")
    @Insert("insert into users (id) values (#{id})")
    @Override
    int insert(User user);
  }

  interface Children {
    @BloomGuarded(filter = "products", key = "#id", caching = Caching.NULLS)
    @Nullable User findByParent(long id);

    @Insert("insert into `shop`.`child` (parent) values (#{parent})")
    int insertChild(@Param("parent") long parent);

    @Insert(
        "<script>insert into PRODUCT (id) values <foreach item='i'"
            + " collection='ids'>(#{i})</foreach></script>")
    int insertAll(@Param("ids") List<Long> ids);
  }

  @Test
  void anAnnotatedEntityTellsOfTheMethodsThatTakeIt(CapturedOutput output) {
    start(Keyed.class);
    assertThat(warnings(output)).singleElement().asString().contains("guard: insertFixed() (");
  }

  @Test
  void anOverloadIsNamedByItsParameters(CapturedOutput output) {
    start(Overloaded.class);
    assertThat(warnings(output)).singleElement().asString().contains("guard: insert(List) (");
  }

  /** The source may be a view of the table. */
  interface OfView {
    @BloomGuarded(filter = "products", key = "#id", caching = Caching.NULLS)
    @Nullable User findById(long id);

    @Insert("insert into base_product (id) values (#{id})")
    int insertBase(@Param("id") long id);
  }

  @Test
  void anInsertIntoAnotherTableIsNotNamed(CapturedOutput output) {
    start(Children.class);
    start(OfView.class);
    assertThat(warnings(output))
        .hasSize(2)
        .anySatisfy(line -> assertThat(line).contains("guard: insertAll(List) ("))
        .anySatisfy(line -> assertThat(line).contains("guard: insertBase(long) ("));
  }

  @Test
  void anInsertThatSetsNoKeyIsNamedWithItsCure(CapturedOutput output) {
    start(Inserts.class);
    List<String> warnings =
        output.getAll().lines().filter(line -> line.contains("generates no key")).toList();
    assertThat(warnings).hasSize(2);
    assertThat(warnings)
        .anySatisfy(
            line ->
                assertThat(line)
                    .contains("Inserts.keyless(User)")
                    .contains("useGeneratedKeys=\"true\" keyProperty=\"id\""))
        .anySatisfy(
            line -> assertThat(line).contains("keylessOfTwo").contains("keyProperty=\"user.id\""));
  }

  /** As MyBatis-Plus has it. */
  @Retention(RetentionPolicy.RUNTIME)
  @interface TableLogic {}

  static class Member {
    long id;
    @TableLogic Integer deletedFlag;
  }

  interface Of<T> {}

  interface Members extends Of<Member> {
    @BloomGuarded(filter = "products", key = "#id", caching = Caching.NULLS)
    @Nullable User findById(long id);

    @Update("update product set deleted_flag = #{flag} where id = #{id}")
    int flag(@Param("id") long id, @Param("flag") int flag);

    @Update(
        "update `shop`.`product` p set p.name = 'a, b', p.`status` = #{status} where id = #{id}")
    int setStatus(@Param("id") long id, @Param("status") String status);

    @Update("UPDATE product SET deleted = 0 WHERE id = #{id}")
    int restore(long id);

    @Update("update product set deleted = 1, name = #{name} where id = #{id} and deleted = 0")
    int hide(@Param("id") long id, @Param("name") String name);

    @Update("update product set name = #{name}, price = price * 2 where status = 'sold'")
    int rename(String name);

    @BloomPut(filter = "products", key = "#id")
    @Update("update product set deleted = 0 where id = #{id}")
    int restoreAndPut(long id);
  }

  /** A mapper that no lookup is guarded of. */
  interface Elsewhere {
    @Update("update product set deleted = #{deleted} where id = #{row.id}")
    int undo(@Param("row") Row row, @Param("deleted") int deleted);

    @Update("update child set deleted = 0 where id = #{id}")
    int undoChild(long id);

    @Update("update product set name = #{name} where deleted = 0")
    int renameAll(String name);
  }

  interface Copies {
    @BloomGuarded(filter = "products", key = "#id", caching = Caching.NULLS)
    @Nullable User findById(long id);

    @Insert("insert into product (id, name) select id, name from draft")
    int publish();
  }

  @Test
  void anUpdateThatBringsRowsBackIsNamedLikeAnInsert(CapturedOutput output) {
    start(Members.class, Elsewhere.class);
    assertThat(warnings(output))
        .hasSize(2)
        .anySatisfy(
            line ->
                assertThat(line)
                    .contains(
                        "guard: flag(long, int), restore(long), setStatus(long, String)"
                            + " ('products')")
                    .contains("or make the source's query find again, are rejected")
                    .contains("brings rows back with @BloomPut")
                    .doesNotContain("Put @BloomKey"))
        .anySatisfy(
            line ->
                assertThat(line)
                    .contains("Elsewhere has methods that write")
                    .contains("guard: undo(Row, int) ('products')"));
  }

  @Test
  void anInsertOfAQuerysRowsGetsARemedyThatCanBeFollowed(CapturedOutput output) {
    start(Copies.class);
    assertThat(warnings(output))
        .singleElement()
        .asString()
        .contains("guard: publish() ('products')")
        .contains("take their keys as a parameter")
        .contains("BloomGuard.putAll");
  }

  private static List<String> warnings(CapturedOutput output) {
    return output.getAll().lines().filter(line -> line.contains("without telling")).toList();
  }

  private static void start(Class<?>... mappers) {
    Configuration configuration = new Configuration();
    Class<?> mapper = mappers[0];
    if (mapper == Users.class || mapper == UsersWithoutValues.class) {
      parse(configuration, mapper);
    }
    for (Class<?> each : mappers) {
      if (!configuration.hasMapper(each)) {
        configuration.addMapper(each);
      }
    }
    MappedStatements statements = new MyBatisStatements(() -> List.of(configuration));
    String query =
        mapper == Children.class || mapper == OfView.class
            ? "select id from product"
            : mapper == Members.class
                ? "select p.id from product p where deleted = 0 and p.status in ('new', 'on sale')"
                : null;
    try (var context = new AnnotationConfigApplicationContext()) {
      context.registerBean(MappedStatements.class, () -> statements);
      context.registerBean(
          UnguardedWrites.class,
          () ->
              new UnguardedWrites(
                  Policy.WARN,
                  statements,
                  filter -> query,
                  new OwnCalls(List::of, MappedWritesTest.class.getClassLoader()),
                  filter -> false));
      for (Class<?> each : mappers) {
        context.registerBean(each.getName(), MapperFactory.class, () -> new MapperFactory(each));
      }
      Guarding.prepare(context, new TestGuards(), new Always()).refresh();
    }
  }

  private static void parse(Configuration configuration, Class<?> mapper) {
    String statements =
        """
        <update id="resetPassword">update users set password = #{password} where id = #{id}</update>
        <delete id="deleteByIds">delete from users</delete>
        """;
    if (mapper == Users.class) {
      statements +=
          """
          <select id="findByName" resultType="map">select * from users where name = #{name}</select>
          <insert id="register">insert into users (name) values (#{name})</insert>
          <update id="disable">update users set enabled = false where id = #{id}</update>
          <select id="importAll" resultType="long" affectData="true">insert into users</select>
          <select id="search" resultType="map">select * from users</select>
          <update id="change">update users set name = #{name} where id = #{id}</update>
          """;
    }
    String xml =
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE mapper PUBLIC "-//mybatis.org//DTD Mapper 3.0//EN" "https://mybatis.org/dtd/mybatis-3-mapper.dtd">
        <mapper namespace="%s">
        %s</mapper>
        """
            .formatted(mapper.getName(), statements);
    new XMLMapperBuilder(
            new ByteArrayInputStream(xml.getBytes(StandardCharsets.UTF_8)),
            configuration,
            mapper.getName(),
            configuration.getSqlFragments())
        .parse();
  }

  /** Every call is in a transaction. */
  static class Always implements Transactions {

    @Override
    public boolean register(Runnable beforeCommit, Completion afterCompletion) {
      return true;
    }

    @Override
    public @Nullable Long readsSince() {
      return null;
    }
  }

  /** Makes the proxy of a mapper, as MyBatis does. */
  record MapperFactory(Class<?> type) implements FactoryBean<Object> {

    @Override
    public Object getObject() {
      return Proxy.newProxyInstance(
          type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> null);
    }

    @Override
    public Class<?> getObjectType() {
      return type;
    }
  }
}
