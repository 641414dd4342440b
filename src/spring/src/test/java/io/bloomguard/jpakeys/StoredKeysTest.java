package io.bloomguard.jpakeys;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bloomguard.annotation.BloomKey;
import io.bloomguard.data.internal.row.RowGuards;
import io.bloomguard.guard.PendingWrites;
import io.bloomguard.guard.RecordedGuards;
import io.bloomguard.guard.StartRefusedException;
import io.bloomguard.guard.Transactions;
import io.bloomguard.jpa.internal.EntityWrites;
import jakarta.persistence.AttributeConverter;
import jakarta.persistence.Column;
import jakarta.persistence.Convert;
import jakarta.persistence.Embeddable;
import jakarta.persistence.Embedded;
import jakarta.persistence.Entity;
import jakarta.persistence.EnumType;
import jakarta.persistence.Enumerated;
import jakarta.persistence.FetchType;
import jakarta.persistence.Id;
import jakarta.persistence.JoinColumn;
import jakarta.persistence.ManyToOne;
import java.io.Serializable;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.UUID;
import org.hibernate.Hibernate;
import org.hibernate.SessionFactory;
import org.hibernate.annotations.ColumnDefault;
import org.hibernate.annotations.ColumnTransformer;
import org.hibernate.annotations.DynamicInsert;
import org.hibernate.annotations.Formula;
import org.hibernate.annotations.GeneratedColumn;
import org.hibernate.annotations.JdbcTypeCode;
import org.hibernate.annotations.SQLDelete;
import org.hibernate.annotations.SQLInsert;
import org.hibernate.annotations.SoftDelete;
import org.hibernate.boot.registry.BootstrapServiceRegistryBuilder;
import org.hibernate.cfg.Configuration;
import org.hibernate.engine.spi.SharedSessionContractImplementor;
import org.hibernate.type.SqlTypes;
import org.hibernate.type.descriptor.WrapperOptions;
import org.hibernate.usertype.UserType;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.BeanUtils;

/**
 * The key of an entity is what its column holds, and the start refuses what is not known.
 *
 * <p>In a package of its own, since a scan of another would find these entities.
 */
class StoredKeysTest {

  private final RecordedGuards guards =
      new RecordedGuards(Transactions.NONE, PendingWrites.NONE, "keys", "pets", "visited");
  private @Nullable SessionFactory factory;

  @AfterEach
  void close() {
    if (factory != null) {
      factory.close();
    }
  }

  private SessionFactory start(Class<?>... entities) {
    EntityWrites writes =
        new EntityWrites(
            new RowGuards(() -> guards, () -> Transactions.NONE, 1_000, filter -> null), List::of);
    Configuration configuration =
        new Configuration(new BootstrapServiceRegistryBuilder().applyIntegrator(writes).build());
    for (Class<?> entity : entities) {
      configuration.addAnnotatedClass(entity);
    }
    configuration.setProperty("hibernate.connection.url", "jdbc:h2:mem:" + UUID.randomUUID());
    configuration.setProperty("hibernate.hbm2ddl.auto", "create");
    SessionFactory started = configuration.buildSessionFactory();
    factory = started;
    writes.afterSingletonsInstantiated();
    return started;
  }

  private void persist(Object entity) {
    start(entity.getClass()).inTransaction(session -> session.persist(entity));
  }

  // What the column holds.

  enum Kind {
    A,
    B
  }

  @Entity(name = "Shelf")
  static class Shelf {
    @Id long id = 1;

    @BloomKey(filter = "keys")
    @Enumerated(EnumType.ORDINAL)
    Kind kind = Kind.B;
  }

  @Entity(name = "Numbered")
  static class Numbered {
    @Id long id = 1;

    @BloomKey(filter = "keys")
    @JdbcTypeCode(SqlTypes.ORDINAL_ENUM)
    Kind kind = Kind.B;
  }

  @Entity(name = "Named")
  static class Named {
    @Id long id = 1;

    @BloomKey(filter = "keys")
    @Enumerated(EnumType.STRING)
    Kind kind = Kind.B;
  }

  record Email(String text) {}

  static class ToText implements AttributeConverter<Email, String> {
    @Override
    public @Nullable String convertToDatabaseColumn(@Nullable Email email) {
      return email == null ? null : email.text().toLowerCase(Locale.ROOT);
    }

    @Override
    public @Nullable Email convertToEntityAttribute(@Nullable String text) {
      return text == null ? null : new Email(text);
    }
  }

  @Entity(name = "Account")
  static class Account {
    @Id long id = 1;

    @BloomKey(filter = "keys")
    @Convert(converter = ToText.class)
    Email email = new Email("Ann@Example.org");
  }

  @Entity(name = "Texts")
  @BloomKey(filter = "keys")
  static class Texts {
    @Id
    @JdbcTypeCode(SqlTypes.VARCHAR)
    UUID id = UUID.fromString("6f1c2d3e-4b5a-4978-8a9b-0c1d2e3f4a5b");

    @BloomKey(filter = "keys")
    @JdbcTypeCode(SqlTypes.VARCHAR)
    Long number = 42L;

    @BloomKey(filter = "keys")
    @JdbcTypeCode(SqlTypes.BINARY)
    UUID other = UUID.fromString("00000000-4b5a-4978-8a9b-0c1d2e3f4a5b");

    String written = "Ab";

    @BloomKey(filter = "keys")
    @GeneratedColumn("upper(written)")
    @Nullable String generated;
  }

  @Test
  void theStoredFormIsTheKey() {
    persist(new Shelf());
    assertThat(guards.adds("keys")).as("an ordinal").containsExactly(List.of("1"));
  }

  @ParameterizedTest
  @ValueSource(classes = {Named.class, Numbered.class})
  void anEnumThatTheDatabaseHasByNameStaysItsName(Class<?> entity) {
    persist(BeanUtils.instantiateClass(entity));
    assertThat(guards.holds("keys", "B")).isTrue();
    assertThat(guards.asked("keys", Kind.class, "find")).isNull();
  }

  @Test
  void aConverterDecides() {
    persist(new Account());
    assertThat(guards.holds("keys", "ann@example.org")).isTrue();
  }

  @Test
  void oneSpellingInColumnsOfAnyType() {
    persist(new Texts());
    assertThat(guards.holds("keys", "6f1c2d3e-4b5a-4978-8a9b-0c1d2e3f4a5b")).isTrue();
    assertThat(guards.holds("keys", "00000000-4b5a-4978-8a9b-0c1d2e3f4a5b")).isTrue();
    assertThat(guards.holds("keys", "42")).isTrue();
    assertThat(guards.holds("keys", "AB")).as("read back").isTrue();
  }

  @Entity(name = "Defaulted")
  @DynamicInsert
  static class Defaulted {
    @Id long id = 1;

    @BloomKey(filter = "keys")
    @ColumnDefault("'ab' || 'c'")
    @Column(name = "`the code`")
    @Nullable String code;
  }

  @Test
  void theDefaultOfAColumnThatADynamicInsertLeavesOut() {
    persist(new Defaulted());
    assertThat(guards.holds("keys", "abc")).isTrue();
  }

  // What lookups ask for.

  @Test
  void aLookupByAnotherFormThanTheColumnsIsRefused() {
    start(Shelf.class);
    assertThat(guards.asked("keys", Kind.class, "find")).contains("Shelf", "a number", "Kind");
    assertThat(guards.asked("keys", int.class, "other")).isNull();
  }

  @Test
  void soIsTheEntityIfTheLookupCameFirst() {
    guards.asked("keys", Kind.class, "Shelves.findByKind");
    assertThatThrownBy(() -> start(Shelf.class))
        .isInstanceOf(StartRefusedException.class)
        .hasMessageContainingAll("'kind'", "Shelves.findByKind", "ordinal()");
  }

  static class Lower implements AttributeConverter<String, String> {
    @Override
    public @Nullable String convertToDatabaseColumn(@Nullable String text) {
      return text == null ? null : text.toLowerCase(Locale.ROOT);
    }

    @Override
    public @Nullable String convertToEntityAttribute(@Nullable String text) {
      return text;
    }
  }

  @Entity(name = "Lowered")
  static class Lowered {
    @Id long id;

    @BloomKey(filter = "keys")
    @Convert(converter = Lower.class)
    @Nullable String email;
  }

  @Test
  void aConverterFromTextToTextThatTheFilterDoesNotFoldIsRefused() {
    assertThatThrownBy(() -> start(Lowered.class))
        .isInstanceOf(StartRefusedException.class)
        .hasMessageContainingAll("'email'", "bloomguard.filters.keys.keys.case");
  }

  // What is not known.

  @Entity(name = "Written")
  static class Written {
    @Id long id;

    @BloomKey(filter = "keys")
    @ColumnTransformer(write = "upper(?)")
    @Nullable String code;
  }

  @Entity(name = "Read")
  static class Read {
    @Id long id;

    @BloomKey(filter = "keys")
    @ColumnTransformer(read = "upper(code)")
    @Nullable String code;
  }

  @Entity(name = "Computed")
  static class Computed {
    @Id long id;

    @BloomKey(filter = "keys")
    @Formula("upper('a')")
    @Nullable String code;
  }

  @Entity(name = "Foreign")
  static class Foreign {
    @Id long id;

    @BloomKey(filter = "keys")
    @Column(insertable = false)
    @Nullable String code;
  }

  @Entity(name = "Custom")
  @SQLInsert(sql = "insert into Custom (code, id) values (upper(?), ?)")
  static class Custom {
    @Id long id;

    @BloomKey(filter = "keys")
    @Nullable String code;
  }

  @Entity(name = "Typed")
  static class Typed {
    @Id long id;

    @BloomKey(filter = "keys")
    @org.hibernate.annotations.Type(Reversed.class)
    @Nullable String code;
  }

  @Entity(name = "Flag")
  static class Flag {
    @Id long id;

    @BloomKey(filter = "keys")
    @JdbcTypeCode(SqlTypes.DOUBLE)
    long code;
  }

  @ParameterizedTest
  @ValueSource(
      classes = {
        Written.class,
        Read.class,
        Computed.class,
        Foreign.class,
        Custom.class,
        Typed.class,
        Flag.class
      })
  void aColumnWhoseValueIsNotKnownIsRefused(Class<?> entity) {
    assertThatThrownBy(() -> start(entity))
        .isInstanceOf(StartRefusedException.class)
        .hasMessageContainingAll(entity.getSimpleName(), "'code'");
  }

  static class Reversed implements UserType<String> {
    @Override
    public int getSqlType() {
      return Types.VARCHAR;
    }

    @Override
    public Class<String> returnedClass() {
      return String.class;
    }

    @Override
    public boolean equals(@Nullable String one, @Nullable String other) {
      return Objects.equals(one, other);
    }

    @Override
    public int hashCode(String one) {
      return one.hashCode();
    }

    // These four without @Override: Hibernate 6 declares the last two, Hibernate 7 the first two.
    public @Nullable String nullSafeGet(ResultSet rows, int column, WrapperOptions options)
        throws SQLException {
      return rows.getString(column);
    }

    public void nullSafeSet(
        PreparedStatement statement, @Nullable String value, int index, WrapperOptions options)
        throws SQLException {
      statement.setString(index, new StringBuilder(String.valueOf(value)).reverse().toString());
    }

    public @Nullable String nullSafeGet(
        ResultSet rows, int column, SharedSessionContractImplementor session, Object owner)
        throws SQLException {
      return nullSafeGet(rows, column, (WrapperOptions) session);
    }

    public void nullSafeSet(
        PreparedStatement statement,
        @Nullable String value,
        int index,
        SharedSessionContractImplementor session)
        throws SQLException {
      nullSafeSet(statement, value, index, (WrapperOptions) session);
    }

    @Override
    public @Nullable String deepCopy(@Nullable String value) {
      return value;
    }

    @Override
    public boolean isMutable() {
      return false;
    }

    @Override
    public @Nullable Serializable disassemble(@Nullable String value) {
      return value;
    }

    @Override
    public @Nullable String assemble(@Nullable Serializable cached, @Nullable Object owner) {
      return (String) cached;
    }
  }

  // Rows that outlive their deletion.

  @Entity(name = "Doc")
  @SQLDelete(sql = "update Doc set deleted = true where id = ?")
  @BloomKey(filter = "keys")
  static class Doc {
    @Id long id = 5;
    boolean deleted;
  }

  @Entity(name = "Draft")
  @SoftDelete
  @BloomKey(filter = "keys")
  static class Draft {
    @Id long id = 5;
  }

  @Entity(name = "Gone")
  @SQLDelete(sql = "DELETE from Gone where id = ?")
  @BloomKey(filter = "keys")
  static class Gone {
    @Id long id = 5;
  }

  @ParameterizedTest
  @ValueSource(classes = {Doc.class, Draft.class})
  void aRowThatIsMarkedAsDeletedKeepsItsKey(Class<?> entity) {
    delete(entity);
    assertThat(guards.removed("keys")).isEmpty();
    assertThat(guards.isWritten("keys", 5)).isTrue();
  }

  @Test
  void aRowThatIsDeletedByAStatementOfItsOwnLosesItsKey() {
    delete(Gone.class);
    assertThat(guards.removed("keys")).containsExactly("5");
  }

  private void delete(Class<?> entity) {
    SessionFactory started = start(entity);
    Object one = BeanUtils.instantiateClass(entity);
    started.inTransaction(session -> session.persist(one));
    guards.clear();
    started.inTransaction(session -> session.remove(session.find(entity, 5L)));
  }

  // Keys that are the ids of other rows.

  @Entity(name = "Animal")
  @BloomKey(filter = "pets")
  static class Animal {
    @Id long id;

    Animal() {}

    Animal(long id) {
      this.id = id;
    }
  }

  @Entity(name = "Visit")
  @BloomKey(filter = "pets", attribute = "pet.id")
  static class Visit {
    @Id long id = 1;

    @ManyToOne(fetch = FetchType.LAZY)
    @Nullable Animal pet;
  }

  @Test
  void aChildDropsTheEntriesOfItsParentsKeyWithoutLoadingTheParent() {
    SessionFactory started = start(Animal.class, Visit.class);
    started.inTransaction(
        session -> {
          session.persist(new Animal(7));
          session.persist(new Animal(8));
        });
    guards.clear();
    guards.keep("pets", 7, "no visits");
    started.inTransaction(
        session -> {
          Visit visit = new Visit();
          visit.pet = session.getReference(Animal.class, 7L);
          session.persist(visit);
          session.flush();
          assertThat(Hibernate.isInitialized(visit.pet)).isFalse();
          assertThat(guards.isBarred("pets", 7)).isTrue();
        });
    assertThat(guards.isKept("pets", 7)).isFalse();
    assertThat(guards.adds("pets")).as("the parent's own write has added it").isEmpty();

    guards.keep("pets", 7, "one visit");
    guards.keep("pets", 8, "no visits");
    started.inTransaction(
        session -> {
          Visit visit = session.find(Visit.class, 1L);
          visit.pet = session.getReference(Animal.class, 8L);
        });
    assertThat(guards.isKept("pets", 7)).as("moved from").isFalse();
    assertThat(guards.isKept("pets", 8)).as("moved to").isFalse();

    guards.keep("pets", 8, "one visit");
    started.inTransaction(session -> session.remove(session.find(Visit.class, 1L)));
    assertThat(guards.isKept("pets", 8)).isFalse();
    assertThat(guards.removed("pets")).as("the pet is still there").isEmpty();
    started.inTransaction(session -> session.remove(session.find(Animal.class, 8L)));
    assertThat(guards.removed("pets")).containsExactly("8");
  }

  @Test
  void aStatelessSessionReadsTheForeignKeyOfTheRow() {
    SessionFactory started = start(Animal.class, Visit.class);
    Visit visit = new Visit();
    started.inTransaction(
        session -> {
          session.persist(visit.pet = new Animal(7));
          session.persist(new Animal(8));
          session.persist(visit);
        });
    guards.keep("pets", 7, "one visit");
    guards.keep("pets", 8, "no visits");
    visit.pet = new Animal(8);
    started.inStatelessSession(
        session -> {
          session.beginTransaction();
          session.update(visit);
          session.getTransaction().commit();
        });
    assertThat(guards.isKept("pets", 7)).isFalse();
    assertThat(guards.isKept("pets", 8)).isFalse();
  }

  @Entity(name = "Trip")
  @BloomKey(filter = "visited", attribute = "pet.id")
  static class Trip {
    @Id long id = 1;
    @ManyToOne @Nullable Animal pet;
  }

  @Test
  void aFilterOfForeignKeysGetsThemFromItsOwnRowsUnlessItCounts() {
    guards.setRemoves(false);
    SessionFactory started = start(Animal.class, Trip.class);
    started.inTransaction(
        session -> {
          Trip trip = new Trip();
          session.persist(trip.pet = new Animal(7));
          session.persist(trip);
        });
    assertThat(guards.holds("visited", 7)).isTrue();
    started.close();
    guards.setRemoves(true);
    assertThatThrownBy(() -> start(Animal.class, Trip.class))
        .isInstanceOf(StartRefusedException.class)
        .hasMessageContainingAll("'pet.id'", "counting");
  }

  /** A foreign key that another attribute writes, or the collection of the parent. */
  @Entity(name = "Bed")
  @BloomKey(filter = "pets", attribute = "pet.id")
  static class Bed {
    @Id long id;
    long petId;

    @ManyToOne
    @JoinColumn(name = "petId", insertable = false, updatable = false)
    @Nullable Animal pet;
  }

  @Embeddable
  static class Place {
    @ManyToOne
    @JoinColumn(name = "petId", insertable = false, updatable = false)
    @Nullable Animal pet;
  }

  @Entity(name = "Cage")
  @BloomKey(filter = "pets", attribute = "place.pet.id")
  static class Cage {
    @Id long id;
    long petId;
    @Embedded @Nullable Place place;
  }

  @ParameterizedTest
  @ValueSource(classes = {Bed.class, Cage.class})
  void anAssociationThatDoesNotWriteItsForeignKeyIsRefused(Class<?> entity) {
    assertThatThrownBy(() -> start(Animal.class, entity))
        .isInstanceOf(StartRefusedException.class)
        .hasMessageContainingAll("pet.id'", "insertable = false", "Name the attribute that");
  }

  @Entity(name = "Chip")
  @BloomKey(filter = "pets", attribute = "pet.name")
  static class Chip {
    @Id long id;
    @ManyToOne @Nullable Chipped pet;
  }

  @Entity(name = "Chipped")
  static class Chipped {
    @Id long id;
    @Nullable String name;
  }

  @Test
  void moreOfAnotherRowThanItsIdIsRefused() {
    assertThatThrownBy(() -> start(Chip.class, Chipped.class))
        .isInstanceOf(StartRefusedException.class)
        .hasMessageContainingAll("'pet.name'", "foreign key");
  }
}
