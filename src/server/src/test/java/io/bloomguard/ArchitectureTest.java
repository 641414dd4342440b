package io.bloomguard;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.belongToAnyOf;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.core.importer.Location;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import io.bloomguard.autoconfigure.BloomguardAutoConfiguration;
import io.bloomguard.guard.Enforcement;
import io.bloomguard.guard.FilterMode;
import io.bloomguard.guard.Finding;
import io.bloomguard.guard.LocalEnforcement;
import io.bloomguard.guard.Membership;
import io.bloomguard.guard.MembershipStore;
import io.bloomguard.guard.Scope;
import io.bloomguard.guard.internal.Doubt;
import io.bloomguard.guard.internal.Entered;
import io.bloomguard.guard.internal.EntryPoint;
import io.bloomguard.guard.internal.FilterAnswers;
import io.bloomguard.guard.internal.Held;
import io.bloomguard.guard.internal.Outcome;
import io.bloomguard.guard.internal.OutcomeCounters;
import io.bloomguard.guard.internal.verify.Verification;
import io.bloomguard.guard.internal.writes.GatheredWrites;
import io.bloomguard.redis.internal.cache.RedisValueCache;
import io.bloomguard.redis.internal.generation.RedisFilter;
import io.bloomguard.redis.internal.store.RedisGenerationStore;
import java.io.IOException;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;

/** Who may import whom: the rooms of the house and their doors. */
@AnalyzeClasses(
    packagesOf = ArchitectureTest.class,
    importOptions = ArchitectureTest.WithoutTests.class)
class ArchitectureTest {

  /** Neither this module's tests nor those of the modules before it. */
  static final class WithoutTests implements ImportOption {

    @Override
    public boolean includes(Location location) {
      return !location.contains("/test-classes/") && !location.contains("-tests.jar");
    }
  }

  private static final String ANNOTATION = "io.bloomguard.annotation..";
  private static final String FILTER = "io.bloomguard.filter..";
  private static final String IMAGE = "io.bloomguard.image..";
  private static final String GUARD = "io.bloomguard.guard..";
  private static final String GUARD_API = "io.bloomguard.guard";
  private static final String GUARD_CONTRACTS = "io.bloomguard.guard.internal";
  private static final String GUARD_CACHE = "io.bloomguard.guard.internal.cache..";
  private static final String GUARD_LOAD = "io.bloomguard.guard.internal.load..";
  private static final String GUARD_CONFIRM = "io.bloomguard.guard.internal.confirm..";
  private static final String GUARD_VERIFY = "io.bloomguard.guard.internal.verify..";
  private static final String GUARD_WRITES = "io.bloomguard.guard.internal.writes..";
  private static final String GUARD_DECISION = "io.bloomguard.guard.internal.decision..";
  private static final String GENERATION = "io.bloomguard.generation..";
  private static final String GENERATION_API = "io.bloomguard.generation";
  private static final String GENERATION_CONTRACTS = "io.bloomguard.generation.internal";
  private static final String CHANGES = "io.bloomguard.changes.internal";
  private static final String REDIS = "io.bloomguard.redis..";
  private static final String CLASSIC = "io.bloomguard.classic.internal..";
  private static final String CLASSIC_HASH = "io.bloomguard.classic.internal.hash..";
  private static final String SOURCE = "io.bloomguard.source..";
  private static final String AOP = "io.bloomguard.aop..";
  private static final String AOP_CONTRACTS = "io.bloomguard.aop";
  private static final String TRANSACTION = "io.bloomguard.transaction.internal..";
  private static final String JSON = "io.bloomguard.json.internal..";
  private static final String JPA = "io.bloomguard.jpa.internal..";
  private static final String DATA = "io.bloomguard.data.internal";
  private static final String ROW = "io.bloomguard.data.internal.row..";
  private static final String WEB = "io.bloomguard.web..";
  private static final String ACTUATE = "io.bloomguard.actuate..";
  private static final String CONSOLE = "io.bloomguard.console.internal..";
  private static final String AUTOCONFIGURE = "io.bloomguard.autoconfigure..";
  private static final String AUTO_CONFIGURATIONS = "io.bloomguard.autoconfigure";
  private static final String WIRING = "io.bloomguard.autoconfigure.internal.wiring..";
  private static final String PROPERTIES = "io.bloomguard.autoconfigure.internal.properties..";
  private static final String[] MODULE_WIRINGS = {
    "io.bloomguard.changes.autoconfigure..",
    "io.bloomguard.classic.autoconfigure..",
    "io.bloomguard.console.autoconfigure.."
  };
  private static final String SERVER = "io.bloomguard.server..";

  private static final String[] CORE = {ANNOTATION, FILTER, GUARD, GENERATION, IMAGE};
  private static final String[] API = {
    ANNOTATION, "io.bloomguard.filter", GUARD_API, GENERATION_API
  };
  private static final String[] ADAPTERS = {
    REDIS, JSON, SOURCE, AOP, TRANSACTION, JPA, DATA, WEB, ACTUATE, CONSOLE
  };

  private static final String[] SERVLET = {"jakarta.servlet..", "org.springframework.web.."};
  private static final String[] OPERATION = {
    "io.micrometer..", "io.prometheus..", "org.springframework.boot.."
  };
  private static final String[] REDIS_CLIENTS = {
    "io.lettuce..", "redis.clients..", "org.redisson..", "org.springframework.data.."
  };

  @ArchTest
  static final ArchRule coreKnowsNoFramework =
      noClasses()
          .that()
          .resideInAnyPackage(CORE)
          .or()
          .resideInAPackage(CLASSIC_HASH)
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(
              "org.springframework..",
              "io.lettuce..",
              "redis.clients..",
              "org.redisson..",
              "jakarta..",
              "io.micrometer..",
              "io.prometheus..",
              "java.sql..",
              "javax.sql..",
              "tools.jackson..");

  @ArchTest static final ArchRule annotationImportsNothingOfOurs = importsOfOurs(ANNOTATION);

  @ArchTest static final ArchRule filterImportsNothingOfOurs = importsOfOurs(FILTER);

  @ArchTest static final ArchRule imageImportsOnlyFilter = importsOfOurs(IMAGE, FILTER);

  @ArchTest static final ArchRule classicHashesImportNothingOfOurs = importsOfOurs(CLASSIC_HASH);

  /** What applications compile against shows nothing of how it is done. */
  @ArchTest
  static final ArchRule whatUsersCallKnowsNoInternalType =
      noClasses()
          .that()
          .resideInAnyPackage(API)
          .should()
          .dependOnClassesThat()
          .resideInAPackage("io.bloomguard..internal..");

  @ArchTest static final ArchRule guardImportsOnlyFilter = importsOfOurs(GUARD, FILTER);

  /** No arrow climbs: contracts know no room, but for the verification that wiring hands in. */
  @ArchTest
  static final ArchRule contractsOfTheGuardKnowNoRoom =
      noClasses()
          .that()
          .resideInAPackage(GUARD_CONTRACTS)
          .should()
          .dependOnClassesThat(
              resideInAnyPackage("io.bloomguard.guard.internal.*..")
                  .and(DescribedPredicate.not(belongToAnyOf(Verification.class))));

  /** No two packages import each other, nor do three in a ring. */
  @ArchTest
  static final ArchRule packagesHaveNoCycles =
      slices()
          .matching("io.bloomguard.(**)")
          .should()
          .beFreeOfCycles()
          .ignoreDependency(resideInAPackage(GUARD_CONTRACTS), belongToAnyOf(Verification.class));

  @ArchTest
  static final ArchRule cacheIsBeneathTheLoads =
      importsOfOurs(GUARD_CACHE, GUARD_API, GUARD_CONTRACTS, FILTER);

  @ArchTest
  static final ArchRule loadImportsOnlyTheCache =
      importsOfOurs(GUARD_LOAD, GUARD_API, GUARD_CONTRACTS, FILTER, GUARD_CACHE);

  @ArchTest
  static final ArchRule confirmationImportsOnlyLoad =
      importsOfOurs(GUARD_CONFIRM, GUARD_API, GUARD_CONTRACTS, FILTER, GUARD_LOAD);

  @ArchTest
  static final ArchRule verificationImportsOnlyLoad =
      importsOfOurs(GUARD_VERIFY, GUARD_API, GUARD_CONTRACTS, FILTER, GUARD_LOAD);

  @ArchTest
  static final ArchRule writesImportOnlyLoadConfirmationAndVerification =
      importsOfOurs(
          GUARD_WRITES,
          GUARD_API,
          GUARD_CONTRACTS,
          FILTER,
          GUARD_LOAD,
          GUARD_CONFIRM,
          GUARD_VERIFY);

  /** Their public types are the guard's own; wiring makes them, and one is handed out. */
  @ArchTest
  static final ArchRule roomsOfTheGuardAreSealed =
      noClasses()
          .that()
          .resideOutsideOfPackages(GUARD, AUTOCONFIGURE)
          .should()
          .dependOnClassesThat(
              resideInAnyPackage(GUARD_DECISION, GUARD_LOAD, GUARD_CACHE, GUARD_WRITES)
                  .and(DescribedPredicate.not(belongToAnyOf(GatheredWrites.class))));

  /** Verdicts and what they lead to, apart from the pipeline that brings the keys. */
  @ArchTest
  static final ArchRule verificationKnowsNoPipeline =
      noClasses()
          .that()
          .resideInAPackage(GUARD_VERIFY)
          .should()
          .dependOnClassesThat(
              resideInAnyPackage(GUARD_API, GUARD_CONTRACTS)
                  .and(
                      DescribedPredicate.not(
                          belongToAnyOf(
                              Doubt.class,
                              Enforcement.class,
                              Enforcement.Standing.class,
                              Entered.class,
                              EntryPoint.class,
                              FilterAnswers.class,
                              FilterMode.class,
                              Finding.class,
                              Held.class,
                              LocalEnforcement.class,
                              Membership.class,
                              MembershipStore.class,
                              Outcome.class,
                              OutcomeCounters.class,
                              Scope.class))));

  @ArchTest
  static final ArchRule generationImportsOnlyFilterAndGuard =
      importsOfOurs(GENERATION, FILTER, GUARD, IMAGE);

  @ArchTest
  static final ArchRule contractsOfGenerationKnowNoRoom =
      importsOfOurs(GENERATION_CONTRACTS, FILTER, GUARD, IMAGE, GENERATION_API);

  /** What only one room needs lies in that room. */
  @ArchTest
  static final ArchRule contractsOfGenerationAreForItsRooms =
      classes()
          .that()
          .resideInAPackage(GENERATION_CONTRACTS)
          .and()
          .areTopLevelClasses()
          .and()
          .doNotHaveSimpleName("package-info")
          .should(beImportedFromElsewhere());

  @ArchTest
  static final ArchRule sourceOfGenerationImportsOnlyTheContracts =
      importsOfOurs(
          generation("source"), FILTER, GUARD, IMAGE, GENERATION_API, GENERATION_CONTRACTS);

  @ArchTest
  static final ArchRule feedImportsOnlyTheContracts =
      importsOfOurs(generation("feed"), FILTER, GUARD, GENERATION_API, GENERATION_CONTRACTS);

  @ArchTest
  static final ArchRule buildImportsOnlySourceAndFeed =
      importsOfOurs(
          generation("build"),
          FILTER,
          GUARD,
          IMAGE,
          GENERATION_API,
          GENERATION_CONTRACTS,
          generation("feed"),
          generation("source"));

  @ArchTest
  static final ArchRule localImportsOnlySnapshotAndJournal =
      importsOfOurs(
          generation("local"),
          FILTER,
          GUARD,
          IMAGE,
          GENERATION_API,
          GENERATION_CONTRACTS,
          generation("snapshot"),
          generation("claim"),
          generation("journal"));

  @ArchTest
  static final ArchRule snapshotImportsOnlyFilterAndImage =
      importsOfOurs(generation("snapshot"), FILTER, IMAGE);

  /** Hashes added of late and their bound, apart from the stores that read them. */
  @ArchTest
  static final ArchRule journalImportsOnlyGuard = importsOfOurs(generation("journal"), GUARD);

  /** The answers to adds that may be repeated, for the heap and Redis alike. */
  @ArchTest static final ArchRule claimImportsOnlyGuard = importsOfOurs(generation("claim"), GUARD);

  @ArchTest
  static final ArchRule adaptersDoNotImportOneAnother =
      slices().assignedFrom(new Adapters()).should().notDependOnEachOther();

  @ArchTest
  static final ArchRule adaptersImportOnlyTheCore =
      noClasses()
          .that()
          .resideInAnyPackage(ADAPTERS)
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(AUTOCONFIGURE, SERVER);

  @ArchTest
  static final ArchRule onlyServerAndModulesImportAutoconfigure =
      noClasses()
          .that(
              resideInAnyPackage(AUTOCONFIGURE, SERVER, "io.bloomguard.test..")
                  .or(resideInAnyPackage(MODULE_WIRINGS))
                  .negate())
          .should()
          .dependOnClassesThat()
          .resideInAPackage(AUTOCONFIGURE);

  @ArchTest
  static final ArchRule autoconfigureKnowsNoModule =
      noClasses()
          .that()
          .resideOutsideOfPackages(
              "io.bloomguard.changes..",
              "io.bloomguard.classic..",
              "io.bloomguard.console..",
              SERVER)
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(
              "io.bloomguard.changes..", "io.bloomguard.classic..", "io.bloomguard.console..");

  /** What a module puts in goes through wiring; it comes after the first auto-configuration. */
  @ArchTest
  static final ArchRule modulesKnowOneAutoConfiguration =
      noClasses()
          .that()
          .resideInAnyPackage(MODULE_WIRINGS)
          .should()
          .dependOnClassesThat(
              resideInAPackage(AUTO_CONFIGURATIONS)
                  .and(DescribedPredicate.not(belongToAnyOf(BloomguardAutoConfiguration.class))));

  @ArchTest
  static final ArchRule wiringKnowsNoAutoConfiguration =
      noClasses()
          .that()
          .resideInAPackage(WIRING)
          .should()
          .dependOnClassesThat()
          .resideInAPackage(AUTO_CONFIGURATIONS);

  @ArchTest
  static final ArchRule propertiesKnowNoWiring =
      noClasses()
          .that()
          .resideInAPackage(PROPERTIES)
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(AUTO_CONFIGURATIONS, WIRING);

  @ArchTest
  static final ArchRule nothingImportsServer =
      noClasses()
          .that()
          .resideOutsideOfPackage(SERVER)
          .should()
          .dependOnClassesThat()
          .resideInAPackage(SERVER);

  /** It is in the server's jar alone. */
  @ArchTest
  static final ArchRule onlyServerHasACommandLine =
      noClasses()
          .that()
          .resideOutsideOfPackage(SERVER)
          .should()
          .dependOnClassesThat()
          .resideInAPackage("picocli..");

  @ArchTest
  static final ArchRule redisKnowsOnlyItsClient =
      noClasses()
          .that()
          .resideInAnyPackage(REDIS, CLASSIC)
          .should()
          .dependOnClassesThat(
              resideInAnyPackage(SERVLET)
                  .or(resideInAnyPackage(OPERATION))
                  .or(
                      resideInAnyPackage(
                          "org.springframework.jdbc..",
                          "org.springframework.aop..",
                          "java.sql..",
                          "javax.sql..")));

  /** In a narrower encoding, different names collide; Guava's files are not Redis'. */
  @ArchTest
  static final ArchRule redisHasOneEncoding =
      noClasses()
          .that()
          .resideInAnyPackage(REDIS, CLASSIC)
          .and()
          .resideOutsideOfPackage(classic("guava"))
          .and()
          .doNotHaveSimpleName("Utf8")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("java.nio.charset..")
          .orShould()
          .callMethod(String.class, "getBytes")
          .orShould()
          .callMethod(String.class, "getBytes", String.class)
          .orShould()
          .callConstructor(String.class, byte[].class)
          .orShould()
          .callConstructor(String.class, byte[].class, String.class);

  /** The rooms of the protocol: each imports only those before it. */
  @ArchTest
  static final ArchRule redisClientImportsNoOtherRoom =
      importsOfOurs(redis("client"), GUARD, GENERATION);

  @ArchTest
  static final ArchRule redisImageImportsOnlyTheClient =
      importsOfOurs(redis("image"), FILTER, GUARD, redis("client"));

  @ArchTest
  static final ArchRule redisPartitionImportsOnlyItsImages =
      importsOfOurs(redis("partition"), FILTER, GUARD, GENERATION, redis("client"), redis("image"));

  @ArchTest
  static final ArchRule redisBuildAndReplicaImportOnlyPartitions =
      importsOfOurs(
          redis("(build|replica)"),
          FILTER,
          GUARD,
          IMAGE,
          GENERATION,
          redis("client"),
          redis("image"),
          redis("partition"));

  @ArchTest
  static final ArchRule redisBuildAndReplicaDoNotImportEachOther =
      slices()
          .matching("io.bloomguard.redis.internal.(build|replica)..")
          .should()
          .notDependOnEachOther();

  @ArchTest
  static final ArchRule redisGenerationImportsNoSchemeButItsOwn =
      noClasses()
          .that()
          .resideInAPackage(redis("generation"))
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(redis("migration"), redis("store"), redis("cache"));

  @ArchTest
  static final ArchRule redisMigrationDoesNotImportTheStore =
      noClasses()
          .that()
          .resideInAPackage(redis("migration"))
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(redis("store"), redis("cache"));

  @ArchTest
  static final ArchRule redisCacheImportsOnlyTheClient =
      importsOfOurs(redis("cache"), FILTER, GUARD, redis("client"));

  /** The forms of records are apart from the system that brings them. */
  @ArchTest
  static final ArchRule recordsOfChangesImportOnlyTheContracts =
      importsOfOurs(changes("record"), GENERATION_API);

  @ArchTest
  static final ArchRule feedsFromKafkaImportOnlyRecords =
      importsOfOurs(changes("kafka"), GENERATION_API, CHANGES, changes("record"));

  @ArchTest
  static final ArchRule feedsFromDatabasesImportOnlyRecords =
      importsOfOurs(changes("database"), GENERATION_API, CHANGES, changes("record"));

  @ArchTest
  static final ArchRule onlyChangesKnowsKafka =
      noClasses()
          .that()
          .resideOutsideOfPackages(
              changes("kafka"), changes("database"), "io.bloomguard.changes.autoconfigure..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("org.apache.kafka..", "org.springframework.kafka..", "io.debezium..");

  /** The classic systems stand beside our own protocol and know nothing of it. */
  @ArchTest
  static final ArchRule classicSystemsImportOnlyTheClient =
      importsOfOurs(
          classic("(bitmap|bloom|small)"),
          "io.bloomguard.classic.internal",
          FILTER,
          GUARD,
          GENERATION,
          redis("client"),
          CLASSIC_HASH);

  @ArchTest
  static final ArchRule smallImagesAreOfWindowsAndSubjects =
      importsOfOurs(
          classic("(window|subject)"),
          classic("small"),
          FILTER,
          GUARD,
          GENERATION,
          redis("client"));

  @ArchTest
  static final ArchRule classicGuavaImportsOnlySnapshot =
      importsOfOurs(classic("guava"), FILTER, generation("snapshot"));

  /** Who lacks it loses one layout. */
  @ArchTest
  static final ArchRule onlyClassicKnowsGuava =
      noClasses()
          .that()
          .resideOutsideOfPackages(CLASSIC, SERVER)
          .should()
          .dependOnClassesThat()
          .resideInAPackage("com.google.common..");

  @ArchTest
  static final ArchRule redisClientIsSealed =
      noClasses()
          .that()
          .resideOutsideOfPackages(REDIS, "io.bloomguard.classic..", AUTOCONFIGURE)
          .should()
          .dependOnClassesThat()
          .resideInAPackage(redis("client"));

  /** Public there is what another room of the protocol needs; a user needs these three. */
  @ArchTest
  static final ArchRule redisProtocolIsSealed =
      noClasses()
          .that()
          .resideOutsideOfPackage(REDIS)
          .should()
          .dependOnClassesThat(
              resideInAnyPackage(
                      redis("image"),
                      redis("partition"),
                      redis("build"),
                      redis("replica"),
                      redis("generation"),
                      redis("migration"),
                      redis("store"),
                      redis("cache"))
                  .and(
                      DescribedPredicate.not(
                          belongToAnyOf(
                              RedisFilter.class,
                              RedisGenerationStore.class,
                              RedisValueCache.class))));

  @ArchTest
  static final ArchRule sourceKnowsOnlyWhereKeysAre =
      noClasses()
          .that()
          .resideInAPackage(SOURCE)
          .should()
          .dependOnClassesThat(
              resideInAnyPackage(SERVLET)
                  .or(resideInAnyPackage(OPERATION))
                  .or(resideInAnyPackage("org.springframework.aop..")));

  @ArchTest
  static final ArchRule methodEntryKnowsNoServletNorRedis =
      noClasses()
          .that()
          .resideInAPackage(AOP)
          .should()
          .dependOnClassesThat(
              resideInAnyPackage(SERVLET)
                  .or(resideInAnyPackage(OPERATION))
                  .or(resideInAnyPackage(REDIS_CLIENTS)));

  @ArchTest static final ArchRule contractsOfMethodEntryKnowNoRoom = importsOfOurs(AOP_CONTRACTS);

  /** The rooms of method entry: each imports only those before it. */
  @ArchTest
  static final ArchRule annotatedMethodsImportNoRoom =
      importsOfOurs(aop("method"), ANNOTATION, GUARD, AOP_CONTRACTS);

  @ArchTest
  static final ArchRule callsImportOnlyTheirMethod =
      importsOfOurs(aop("call"), ANNOTATION, FILTER, GUARD, AOP_CONTRACTS, aop("method"));

  @ArchTest
  static final ArchRule compilationImportsOnlyMethodAndCall =
      importsOfOurs(
          aop("compile"), ANNOTATION, FILTER, GUARD, AOP_CONTRACTS, aop("method"), aop("call"));

  @ArchTest
  static final ArchRule statementsAndHintsImportOnlyTheirMethod =
      importsOfOurs(aop("(statements|hints)"), ANNOTATION, GUARD_API, AOP_CONTRACTS, aop("method"));

  @ArchTest
  static final ArchRule statementsAndHintsDoNotImportEachOther =
      slices()
          .matching("io.bloomguard.aop.internal.(statements|hints)..")
          .should()
          .notDependOnEachOther();

  @ArchTest
  static final ArchRule verificationOfMethodsImportsNoHints =
      importsOfOurs(
          aop("verify"),
          ANNOTATION,
          GUARD_API,
          AOP_CONTRACTS,
          aop("method"),
          aop("call"),
          aop("compile"),
          aop("statements"));

  @ArchTest
  static final ArchRule transactionsImportOnlyTheGuard = importsOfOurs(TRANSACTION, GUARD);

  @ArchTest static final ArchRule rowsImportOnlyTheGuard = importsOfOurs(ROW, ANNOTATION, GUARD);

  @ArchTest
  static final ArchRule entityWritesImportOnlyRowsAndTheGuard =
      importsOfOurs(JPA, FILTER, GUARD, ROW);

  @ArchTest
  static final ArchRule writesOfOtherMappersImportOnlyRowsAndTheGuard =
      importsOfOurs(DATA, FILTER, GUARD, ROW);

  @ArchTest
  static final ArchRule webEntryKnowsNoRedisNorActuator =
      noClasses()
          .that()
          .resideInAPackage(WEB)
          .should()
          .dependOnClassesThat(
              resideInAnyPackage(OPERATION)
                  .or(resideInAnyPackage(REDIS_CLIENTS))
                  // A rule is the setting that it is bound from.
                  .and(
                      DescribedPredicate.not(
                          resideInAPackage("org.springframework.boot.context.properties.bind"))));

  /** Each runs without the classes of the other. */
  @ArchTest
  static final ArchRule entryOfWebFluxKnowsNoServlet =
      noClasses()
          .that()
          .resideInAPackage(WEB)
          .and()
          .haveNameNotMatching(
              ".*\\.(Servlet|AnswerWays|BloomGuardFilter|RejectionResolver|ModelAndView).*")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("jakarta.servlet..", "org.springframework.web.servlet..");

  @ArchTest
  static final ArchRule entryOfServletsKnowsNoWebFlux =
      noClasses()
          .that()
          .resideInAPackage(WEB)
          .and()
          .haveNameNotMatching(".*\\.(Reactive|BloomGuardWebFilter).*")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("reactor..", "org.springframework.web.reactive..");

  /** What answers for an absent or refused key, apart from the rules that judge paths. */
  @ArchTest
  static final ArchRule answersOfTheWebEntryKnowNoRule =
      importsOfOurs("io.bloomguard.web.internal..", FILTER, GUARD);

  @ArchTest
  static final ArchRule consoleImportsOnlyTheCore =
      importsOfOurs(CONSOLE, "io.bloomguard.console", FILTER, GUARD, GENERATION);

  @ArchTest
  static final ArchRule consoleKnowsOnlySpringMvc =
      classes()
          .that()
          .resideInAPackage(CONSOLE)
          .should()
          .onlyDependOnClassesThat()
          .resideInAnyPackage(
              "io.bloomguard..",
              "java..",
              "org.jspecify..",
              "org.springframework.http..",
              "org.springframework.stereotype..",
              "org.springframework.util..",
              "org.springframework.web..");

  @ArchTest
  static final ArchRule operationKnowsNoRedis =
      noClasses()
          .that()
          .resideInAPackage(ACTUATE)
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(REDIS_CLIENTS);

  @ArchTest
  static final ArchRule everyPackageIsNullMarked =
      classes()
          .should(
              new ArchCondition<>("reside in a package that is @NullMarked") {
                @Override
                public void check(JavaClass type, ConditionEvents events) {
                  boolean marked =
                      type.getPackage()
                          .tryGetPackageInfo()
                          .filter(info -> info.isAnnotatedWith(NullMarked.class))
                          .isPresent();
                  events.add(
                      new SimpleConditionEvent(
                          type, marked, type.getPackageName() + " is not @NullMarked"));
                }
              });

  @ArchTest
  static void whatUsersImportIsDocumented(JavaClasses classes) throws IOException {
    assertThat(Doclint.findings()).isEmpty();
  }

  private static String generation(String room) {
    return "io.bloomguard.generation.internal." + room + "..";
  }

  private static String changes(String room) {
    return "io.bloomguard.changes.internal." + room + "..";
  }

  private static String classic(String room) {
    return "io.bloomguard.classic.internal." + room + "..";
  }

  private static String aop(String room) {
    return "io.bloomguard.aop.internal." + room + "..";
  }

  private static String redis(String room) {
    return "io.bloomguard.redis.internal." + room + "..";
  }

  /** Of our packages, {@code from} imports only itself and {@code allowed}. */
  private static ArchRule importsOfOurs(String from, String... allowed) {
    String[] known = Stream.concat(Stream.of(from), Stream.of(allowed)).toArray(String[]::new);
    return classes()
        .that()
        .resideInAPackage(from)
        .should()
        .onlyDependOnClassesThat(
            resideInAnyPackage("io.bloomguard..")
                .negate()
                .or(resideInAnyPackage(known))
                .as("are not ours, or reside in " + String.join(", ", known)));
  }

  private static ArchCondition<JavaClass> beImportedFromElsewhere() {
    return new ArchCondition<>("be imported from another package") {
      @Override
      public void check(JavaClass type, ConditionEvents events) {
        boolean imported =
            type.getDirectDependenciesToSelf().stream()
                .anyMatch(use -> !use.getOriginClass().getPackage().equals(type.getPackage()));
        events.add(
            new SimpleConditionEvent(
                type, imported, type.getName() + " is used in its own package alone"));
      }
    };
  }

  /** Each adapter package is a slice of its own; all else belongs to none. */
  private static final class Adapters implements SliceAssignment {

    @Override
    public SliceIdentifier getIdentifierOf(JavaClass type) {
      return Stream.of(ADAPTERS)
          .filter(adapter -> resideInAnyPackage(adapter).test(type))
          .findFirst()
          .map(SliceIdentifier::of)
          .orElseGet(SliceIdentifier::ignore);
    }

    @Override
    public String getDescription() {
      return "adapter packages";
    }
  }
}
