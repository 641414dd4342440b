package io.bloomguard.data.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import io.bloomguard.annotation.BloomKey;
import io.bloomguard.data.internal.row.RowGuards;
import io.bloomguard.guard.AddFailedException;
import io.bloomguard.guard.PendingAdd;
import io.bloomguard.guard.PendingWrites;
import io.bloomguard.guard.RecordedGuards;
import io.bloomguard.guard.StartRefusedException;
import io.bloomguard.guard.Transactions;
import io.bloomguard.transaction.internal.SpringTransactions;
import java.sql.Connection;
import java.sql.JDBCType;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.h2.jdbc.JdbcConnection;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.convert.converter.Converter;
import org.springframework.data.annotation.Id;
import org.springframework.data.annotation.ReadOnlyProperty;
import org.springframework.data.convert.ReadingConverter;
import org.springframework.data.convert.WritingConverter;
import org.springframework.data.jdbc.core.JdbcAggregateTemplate;
import org.springframework.data.jdbc.core.convert.DataAccessStrategy;
import org.springframework.data.jdbc.core.convert.JdbcConverter;
import org.springframework.data.jdbc.core.convert.JdbcCustomConversions;
import org.springframework.data.jdbc.core.convert.JdbcTypeFactory;
import org.springframework.data.jdbc.core.convert.MappingJdbcConverter;
import org.springframework.data.jdbc.core.mapping.JdbcMappingContext;
import org.springframework.data.jdbc.core.mapping.JdbcValue;
import org.springframework.data.jdbc.repository.config.AbstractJdbcConfiguration;
import org.springframework.data.jdbc.repository.config.EnableJdbcRepositories;
import org.springframework.data.relational.core.mapping.Embedded;
import org.springframework.data.relational.core.mapping.Table;
import org.springframework.data.repository.CrudRepository;
import org.springframework.jdbc.core.ConnectionCallback;
import org.springframework.jdbc.core.JdbcOperations;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.namedparam.NamedParameterJdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionException;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** What Spring Data JDBC writes is in the filters before it is visible, and not in the caches. */
class AggregateWritesTest {

  private static final int MAX_KEYS = 3_000;

  record Address(String postcode) {}

  record Part(String name) {}

  @Table("owner")
  @BloomKey(filter = "owners")
  @BloomKey(filter = "postcodes", attribute = "address.postcode")
  record Owner(
      @Id @Nullable Long id,
      @BloomKey(filter = "owner-names") String name,
      @Embedded.Nullable @Nullable Address address,
      Set<Part> parts) {

    static Owner named(String name) {
      return new Owner(null, name, new Address("P-" + name), Set.of());
    }
  }

  @Table("product")
  @BloomKey(filter = "products")
  @BloomKey(filter = "named", attribute = "name, id")
  record Product(@Id UUID id, String name) {}

  enum Grade {
    LOW,
    HIGH
  }

  @WritingConverter
  static class GradeToNumber implements Converter<Grade, JdbcValue> {
    @Override
    public JdbcValue convert(Grade grade) {
      return JdbcValue.of(grade.ordinal() + 10, JDBCType.INTEGER);
    }
  }

  @ReadingConverter
  static class NumberToGrade implements Converter<Integer, Grade> {
    @Override
    public Grade convert(Integer number) {
      return Grade.values()[number - 10];
    }
  }

  @Table("exam")
  record Exam(@Id UUID id, @BloomKey(filter = "grades") Grade grade) {}

  /** Spring's transactions, whose ends the test sees. */
  private static final class ToldEnds implements Transactions {

    static final List<End> ENDS = new ArrayList<>();

    private final SpringTransactions transactions = new SpringTransactions();

    @Override
    public boolean register(Runnable beforeCommit, Completion afterCompletion) {
      return transactions.register(
          beforeCommit,
          end -> {
            ENDS.add(end);
            afterCompletion.completed(end);
          });
    }

    @Override
    public boolean awaitBeforeCommit(PendingAdd.Wait wait) {
      return transactions.awaitBeforeCommit(wait);
    }

    @Override
    public @Nullable Long readsSince() {
      return transactions.isActive() ? transactions.readsSince() : null;
    }
  }

  interface Owners extends CrudRepository<Owner, Long> {}

  @Configuration(proxyBeanMethods = false)
  @EnableJdbcRepositories(considerNestedRepositories = true)
  static class Database extends AbstractJdbcConfiguration {

    @Override
    protected Set<Class<?>> getInitialEntitySet() {
      return Set.of(Owner.class, Product.class, Exam.class);
    }

    @Bean
    DataSource dataSource() {
      HikariDataSource source = new HikariDataSource();
      source.setJdbcUrl("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
      JdbcTemplate jdbc = new JdbcTemplate(source);
      jdbc.execute(
          "create table \"owner\" (\"ID\" bigint generated always as identity primary key,"
              + " \"NAME\" varchar, \"POSTCODE\" varchar)");
      jdbc.execute("create table \"PART\" (\"OWNER\" bigint, \"NAME\" varchar)");
      jdbc.execute("create table \"product\" (\"ID\" uuid primary key, \"NAME\" varchar)");
      jdbc.execute("create table \"exam\" (\"ID\" uuid primary key, \"GRADE\" int)");
      return source;
    }

    @Bean
    NamedParameterJdbcTemplate namedParameterJdbcTemplate(DataSource source) {
      return new NamedParameterJdbcTemplate(source);
    }

    @Bean
    PlatformTransactionManager transactionManager(DataSource source) {
      DataSourceTransactionManager manager = new DataSourceTransactionManager(source);
      new SpringTransactions().postProcessBeforeInitialization(manager, "transactionManager");
      return manager;
    }

    @Bean
    RecordedGuards guards() {
      return new RecordedGuards(
          Transactions.NONE,
          PendingWrites.NONE,
          "owners",
          "owner-names",
          "postcodes",
          "products",
          "named",
          "grades");
    }

    @Bean
    AggregateWrites writes(
        RecordedGuards guards,
        JdbcMappingContext context,
        ObjectProvider<DataAccessStrategy> stored,
        ObjectProvider<JdbcConverter> converter) {
      return new AggregateWrites(
          new RowGuards(() -> guards, ToldEnds::new, MAX_KEYS, filter -> null),
          context,
          stored::getObject,
          converter::getObject);
    }

    @Override
    protected List<?> userConverters() {
      return List.of(new GradeToNumber(), new NumberToGrade());
    }
  }

  private static AnnotationConfigApplicationContext context;
  private static RecordedGuards guards;
  private static Owners owners;
  private static JdbcAggregateTemplate template;
  private static TransactionTemplate transaction;

  @BeforeAll
  static void open() {
    context = new AnnotationConfigApplicationContext(Database.class);
    guards = context.getBean(RecordedGuards.class);
    owners = context.getBean(Owners.class);
    template = context.getBean(JdbcAggregateTemplate.class);
    transaction = new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
  }

  @AfterAll
  static void close() {
    context.close();
  }

  @BeforeEach
  void clear() {
    guards.clear();
    ToldEnds.ENDS.clear();
  }

  @Test
  void anInsertAddsItsKeysBeforeTheCommit() {
    Owner owner =
        transaction.execute(
            status -> {
              Owner saved = owners.save(Owner.named("Jane"));
              assertThat(context.getBean(AggregateWrites.class).remain("owners")).isFalse();
              assertThat(guards.holds("owners", saved.id())).as("once it is asked for").isTrue();
              assertThat(guards.isBarred("owners", saved.id())).isTrue();
              return saved;
            });
    assertThat(guards.holds("owner-names", "Jane")).isTrue();
    assertThat(guards.holds("postcodes", "P-Jane")).isTrue();
    assertThat(guards.isWritten("owners", owner.id())).isTrue();
    assertThat(guards.isBarred("owners", owner.id())).isFalse();
  }

  @Test
  void copiesGetTheKeysOfATransactionTogetherBeforeItsCommit() {
    List<String> waits = new ArrayList<>();
    guards.copies.whenWaited(filter -> waits.add(filter + " " + isVisible("Ann")));
    transaction.executeWithoutResult(
        status -> {
          owners.save(Owner.named("Ann"));
          context.getBean(AggregateWrites.class).remain("owners");
          assertThat(guards.holds("owner-names", "Ann")).isTrue();
          owners.save(Owner.named("Zoe"));
          assertThat(waits).isEmpty();
        });
    assertThat(guards.holds("owner-names", "Zoe")).isTrue();
    assertThat(waits)
        .containsExactlyInAnyOrder("owners false", "owner-names false", "postcodes false");
    assertThat(isVisible("Ann")).isTrue();
  }

  @Test
  void copiesGetAKeyBeforeTheStatementIfThereIsNoTransaction() {
    List<String> waits = new ArrayList<>();
    guards.copies.whenWaited(filter -> waits.add(filter + " " + isVisible("Bea")));
    template.insert(new Product(UUID.randomUUID(), "Bea"));
    assertThat(waits.subList(0, 2)).containsExactlyInAnyOrder("products false", "named false");
    assertThat(isVisible("Bea")).isTrue();
  }

  /** Whether another connection sees a row. */
  private static boolean isVisible(String name) {
    try (Connection other = context.getBean(DataSource.class).getConnection();
        PreparedStatement query =
            other.prepareStatement(
                "select 1 from \"owner\" where \"NAME\" = ?"
                    + " union select 1 from \"product\" where \"NAME\" = ?")) {
      query.setString(1, name);
      query.setString(2, name);
      return query.executeQuery().next();
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void aSaveOfManyAddsInOneBatch() {
    List<Owner> many = IntStream.range(0, 500).mapToObj(i -> Owner.named("m" + i)).toList();
    Iterable<Owner> saved = owners.saveAll(many);
    assertThat(guards.adds("owners")).hasSize(1);
    assertThat(guards.adds("owner-names")).hasSize(1);
    assertThat(saved).allMatch(owner -> guards.holds("owners", owner.id()));
  }

  @Test
  void aChangeDropsTheEntriesOfOldAndNewKeys() {
    Owner owner = owners.save(Owner.named("Jane"));
    guards.clear();
    guards.keep("owners", owner.id(), "Jane");
    guards.keep("owner-names", "Jane", "Jane");
    guards.keep("postcodes", "P-Jane", "Jane");
    transaction.executeWithoutResult(
        status -> {
          owners.save(new Owner(owner.id(), "Joan", null, Set.of(new Part("new"))));
          context.getBean(AggregateWrites.class).remain("owners");
          assertThat(guards.isBarred("owner-names", "Jane")).isTrue();
        });
    assertThat(guards.holds("owner-names", "Joan")).isTrue();
    assertThat(guards.isKept("owners", owner.id())).isFalse();
    assertThat(guards.isKept("owner-names", "Jane")).isFalse();
    assertThat(guards.isKept("postcodes", "P-Jane")).isFalse();
    assertThat(guards.adds("owners")).isEmpty();
  }

  @Test
  void aDeleteDropsTheEntries() {
    for (int way = 0; way < 4; way++) {
      Owner owner = owners.save(Owner.named("Jane"));
      guards.keep("owners", owner.id(), "Jane");
      guards.keep("owner-names", "Jane", "Jane");
      switch (way) {
        case 0 -> owners.delete(owner);
        case 1 -> owners.deleteById(owner.id());
        case 2 -> owners.deleteAllById(List.of(owner.id()));
        default -> template.deleteById(owner.id(), Owner.class);
      }
      assertThat(guards.isKept("owners", owner.id())).isFalse();
      assertThat(guards.isKept("owner-names", "Jane")).isFalse();
      assertThat(guards.isBarred("owners", owner.id())).isFalse();
    }
  }

  @Test
  void aRollbackCostsOneFalsePositiveAtMost() {
    transaction.executeWithoutResult(
        status -> {
          Owner owner = owners.save(Owner.named("Jane"));
          context.getBean(AggregateWrites.class).remain("owners");
          assertThat(guards.isBarred("owners", owner.id())).isTrue();
          status.setRollbackOnly();
        });
    assertThat(guards.isBarred("owner-names", "Jane")).isFalse();
  }

  @Test
  void aCommitWhoseAnswerIsLostKeepsTheBarrier() {
    JdbcOperations jdbc = context.getBean(NamedParameterJdbcTemplate.class).getJdbcOperations();
    assertThatThrownBy(
            () ->
                transaction.executeWithoutResult(
                    status -> {
                      owners.save(Owner.named("lost"));
                      jdbc.execute(
                          (ConnectionCallback<@Nullable Void>)
                              connection -> {
                                connection.unwrap(JdbcConnection.class).close();
                                return null;
                              });
                    }))
        .isInstanceOf(TransactionException.class);
    context.getBean(HikariDataSource.class).getHikariPoolMXBean().softEvictConnections();
    assertThat(guards.isBarred("owner-names", "lost")).isTrue();
  }

  @Test
  void aTransactionInsideAnotherEndsItsOwnWrites() {
    TransactionTemplate inner = new TransactionTemplate(transaction.getTransactionManager());
    inner.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
    transaction.executeWithoutResult(
        status -> {
          owners.save(Owner.named("outer"));
          context.getBean(AggregateWrites.class).remain("owners");
          inner.executeWithoutResult(nested -> owners.save(Owner.named("inner")));
          assertThat(guards.isBarred("owner-names", "inner")).isFalse();
          assertThat(guards.isBarred("owner-names", "outer")).isTrue();
        });
    assertThat(guards.isBarred("owner-names", "outer")).isFalse();
  }

  @Test
  void aSavepointKeepsTheWriteOpenUntilTheEndOfItsTransaction() {
    transaction.executeWithoutResult(
        status -> {
          Object savepoint = status.createSavepoint();
          owners.save(Owner.named("undone"));
          context.getBean(AggregateWrites.class).remain("owners");
          status.rollbackToSavepoint(savepoint);
          assertThat(guards.isBarred("owner-names", "undone")).isTrue();
          owners.save(Owner.named("kept"));
        });
    assertThat(guards.isBarred("owner-names", "undone")).isFalse();
    assertThat(guards.holds("owner-names", "undone")).as("one false positive").isTrue();
    assertThat(guards.holds("owner-names", "kept")).isTrue();
    assertThat(ToldEnds.ENDS)
        .as("a part of it is undone")
        .containsExactly(Transactions.End.ROLLED_BACK);
  }

  /** Which of the transactions the row belongs to is not known. */
  @Test
  void aWriteInATransactionOfAnotherManagerEndsWithTheLastOfThem() {
    SpringTransactions watch = new SpringTransactions();
    DataSourceTransactionManager another =
        new DataSourceTransactionManager(
            new DriverManagerDataSource("jdbc:h2:mem:" + UUID.randomUUID()));
    for (Object manager : List.of(context.getBean(PlatformTransactionManager.class), another)) {
      watch.postProcessBeforeInitialization(manager, "manager");
    }
    transaction.executeWithoutResult(
        outer -> {
          new TransactionTemplate(another)
              .executeWithoutResult(inner -> owners.save(Owner.named("of both")));
          assertThat(guards.isBarred("owner-names", "of both")).isTrue();
          owners.save(Owner.named("of one"));
        });
    assertThat(guards.isBarred("owner-names", "of both")).isFalse();
    assertThat(guards.holds("owner-names", "of one")).isTrue();
  }

  /** Its connection commits it once the manager gives it back. */
  @Test
  void aWriteWithinTheCompletionOfATransactionStaysOpen() {
    Product late = new Product(UUID.randomUUID(), "late");
    transaction.executeWithoutResult(
        status ->
            TransactionSynchronizationManager.registerSynchronization(
                new TransactionSynchronization() {
                  @Override
                  public void afterCompletion(int end) {
                    template.insert(late);
                  }
                }));
    assertThat(template.findById(late.id(), Product.class)).isNotNull();
    assertThat(guards.isBarred("products", late.id())).isTrue();
  }

  @Test
  void anAddThatFailsRollsBack() {
    guards.refuse("owners", true);
    long before = owners.count();
    assertThatThrownBy(() -> owners.save(Owner.named("Jane")))
        .hasStackTraceContaining(AddFailedException.class.getName());
    assertThat(owners.count()).isEqualTo(before);
    assertThat(guards.isBarred("owner-names", "Jane")).isFalse();
  }

  @Test
  void moreKeysThanATransactionMayWriteFailIt() {
    long before = owners.count();
    List<Owner> many =
        IntStream.rangeClosed(0, MAX_KEYS / 3).mapToObj(i -> Owner.named("o" + i)).toList();
    assertThatThrownBy(() -> owners.saveAll(many))
        .hasStackTraceContaining("more than " + MAX_KEYS + " keys of entities")
        .hasStackTraceContaining("Write in several transactions");
    assertThat(owners.count()).isEqualTo(before);
    assertThat(guards.isBarred("owner-names", "o0")).isFalse();
    owners.saveAll(many.subList(1, many.size()));
    assertThat(owners.count()).isEqualTo(before + MAX_KEYS / 3);
  }

  @Test
  void aStatementThatFailsLiftsTheBarrierOfThoseBefore() {
    Product product = new Product(UUID.randomUUID(), "first");
    assertThatThrownBy(
            () ->
                transaction.executeWithoutResult(
                    status -> {
                      template.insert(product);
                      context.getBean(AggregateWrites.class).remain("products");
                      assertThat(guards.isBarred("products", product.id())).isTrue();
                      template.insert(product);
                    }))
        .hasStackTraceContaining("Unique index or primary key violation");
    assertThat(guards.isBarred("products", product.id())).isFalse();
    assertThat(guards.isWritten("products", product.id())).isTrue();
  }

  @Test
  void withoutATransactionAStatementIsAWriteOfItsOwn() {
    Product product = new Product(UUID.randomUUID(), "first");
    template.insert(product);
    assertThat(guards.holds("products", product.id())).isTrue();
    assertThat(guards.isBarred("products", product.id())).isFalse();
    guards.keep("products", product.id(), product);
    template.update(new Product(product.id(), "second"));
    assertThat(guards.isKept("products", product.id())).isFalse();

    long before = owners.count();
    assertThatThrownBy(() -> template.insert(Owner.named("Jane")))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining(Owner.class.getName())
        .hasMessageContaining("within a transaction");
    assertThat(owners.count()).isEqualTo(before);
  }

  @Test
  void anUpsertAdds() {
    Product product = new Product(UUID.randomUUID(), "first");
    transaction.executeWithoutResult(status -> Upsert.with(template, product));
    assertThat(guards.holds("products", product.id())).isTrue();
  }

  @Test
  void severalAttributesAreAKeyOfParts() {
    Product product = new Product(UUID.randomUUID(), "a:b");
    String key = "a%3Ab:" + product.id();
    template.insert(product);
    assertThat(guards.holds("named", key)).isTrue();
    guards.keep("named", key, "old");
    template.update(new Product(product.id(), "c"));
    assertThat(guards.holds("named", "c:" + product.id())).isTrue();
    assertThat(guards.isKept("named", key)).isFalse();
  }

  @Table("aggregate")
  record Aggregate(@Id long id, Set<Piece> pieces) {}

  @BloomKey(filter = "pieces", attribute = "name")
  record Piece(String name) {}

  @BloomKey(filter = "owners", attribute = "names")
  record Misnamed(@Id long id, String name) {}

  record Timed(@Id long id, @BloomKey(filter = "owners") java.time.Instant at) {}

  record Drawn(@Id long id, @BloomKey(filter = "owners") @ReadOnlyProperty String code) {}

  @BloomKey(filter = "nowhere")
  record Lost(@Id long id) {}

  @BloomKey(filter = "owners")
  record WithoutId(String name) {}

  @Table("coded")
  record Coded(@Id Long id, @BloomKey(filter = "products") String code) {}

  /** Spring Data asks it for each text. */
  @WritingConverter
  static class Reversed implements Converter<String, String> {
    @Override
    public String convert(String text) {
      return new StringBuilder(text).reverse().toString();
    }
  }

  @Test
  void aConverterDecidesOnTheKeyAndOnWhatLookupsMayAskFor() {
    Exam exam = template.insert(new Exam(UUID.randomUUID(), Grade.HIGH));
    assertThat(guards.holds("grades", 11)).isTrue();
    assertThat(guards.asked("grades", Grade.class, "Exams.find")).contains("'grade'", "a number");
    guards.keep("grades", 11, "exams");
    template.delete(exam);
    assertThat(guards.isKept("grades", 11)).isFalse();
  }

  @Test
  void aKeyThatCannotBeAppliedStopsTheStart() {
    refused(Aggregate.class, "is a part of the aggregate");
    refused(Misnamed.class, "'names', which it does not have");
    refused(Timed.class, "'at' of type java.time.Instant, which cannot be a key");
    refused(Drawn.class, "'code', which is not written (@ReadOnlyProperty)");
    refused(Lost.class, "'nowhere', which is not configured");
    refused(WithoutId.class, "has no id");
    refused(Coded.class, "'code', which its column holds in another form");
  }

  private static void refused(Class<?> type, String problem) {
    JdbcMappingContext mapping = new JdbcMappingContext();
    mapping.setInitialEntitySet(Set.of(type));
    mapping.afterPropertiesSet();
    AggregateWrites writes =
        new AggregateWrites(
            new RowGuards(() -> guards, () -> Transactions.NONE, MAX_KEYS, filter -> null),
            mapping,
            () -> {
              throw new AssertionError();
            },
            () ->
                new MappingJdbcConverter(
                    mapping,
                    (identifier, property) -> List.of(),
                    new JdbcCustomConversions(List.of(new Reversed())),
                    JdbcTypeFactory.unsupported()));
    assertThatThrownBy(writes::afterSingletonsInstantiated)
        .isInstanceOf(StartRefusedException.class)
        .hasMessageContaining(problem);
  }
}
