package io.bloomguard.it.kotlin

import io.bloomguard.annotation.BloomGuarded
import io.bloomguard.annotation.BloomPut
import io.bloomguard.annotation.When
import io.bloomguard.guard.KeyAbsentException
import io.bloomguard.guard.BloomGuards
import io.bloomguard.guard.Membership
import io.bloomguard.guard.StartRefusedException
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitAll
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.emptyFlow
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withContext
import org.assertj.core.api.Assertions.assertThat
import org.assertj.core.api.Assertions.assertThatExceptionOfType
import org.assertj.core.api.Assertions.assertThatIllegalStateException
import org.assertj.core.api.Assertions.catchThrowable
import org.junit.jupiter.api.BeforeEach
import org.junit.jupiter.api.Test
import org.junit.jupiter.params.ParameterizedTest
import org.junit.jupiter.params.provider.ValueSource
import org.springframework.beans.factory.annotation.Autowired
import org.springframework.boot.WebApplicationType
import org.springframework.boot.builder.SpringApplicationBuilder
import org.springframework.boot.test.context.SpringBootTest
import org.springframework.core.NestedExceptionUtils
import org.springframework.test.annotation.DirtiesContext

/** Kotlin's functions behind real proxies: guarded, or refused at the start. */
@SpringBootTest(
  properties =
    ["bloomguard.filters.products.verify.first=0", "bloomguard.filters.products.verify.sample=0"]
)
@DirtiesContext(classMode = DirtiesContext.ClassMode.BEFORE_EACH_TEST_METHOD)
class KotlinTest {

  @Autowired lateinit var products: Products

  @Autowired lateinit var guards: BloomGuards

  @BeforeEach
  fun fill() {
    products.fill()
  }

  @Test
  fun nullableFunctionAnswersNull() {
    assertThat(products.find(7)?.name).isEqualTo("product 7")
    assertThat(products.find(999)).isNull()
    assertThat(products.lookups()).isEqualTo(1)
  }

  @Test
  fun functionThatNeverReturnsNullThrows() {
    assertThat(products.get(7).name).isEqualTo("product 7")
    assertThatExceptionOfType(KeyAbsentException::class.java).isThrownBy { products.get(999) }
  }

  @Test
  fun suspendFunctionIsRejectedAndCached() = runBlocking<Unit> {
    assertThat(products.findSuspending(999)).isNull()
    assertThat(products.lookups()).isZero()
    assertThat(products.findSuspending(7)?.name).isEqualTo("product 7")
    assertThat(products.findSuspending(7)?.name).isEqualTo("product 7")
    assertThat(products.lookups()).isEqualTo(1)
  }

  @Test
  fun suspendFunctionLoadsOnceForAllCallers() = runBlocking<Unit> {
    val found = (1..50).map { async(Dispatchers.Default) { products.findSlowly(7) } }.awaitAll()
    assertThat(found).hasSize(50).allSatisfy { assertThat(it?.id).isEqualTo(7) }
    assertThat(products.lookups()).isEqualTo(1)
  }

  @Test
  fun suspendFunctionResumesOnTheDispatcherOfItsCaller() = runBlocking<Unit> {
    withContext(Dispatchers.Default) {
      products.findSlowly(7)
      assertThat(Thread.currentThread().name).contains("DefaultDispatcher")
    }
  }

  @Test
  fun suspendExistsIsFalse() = runBlocking<Unit> {
    assertThat(products.existsById(999)).isFalse()
    assertThat(products.existsById(7)).isTrue()
    assertThat(products.lookups()).isEqualTo(1)
  }

  @Test
  fun suspendFunctionTakesComposedKeys() = runBlocking<Unit> {
    assertThat(products.findByKey(ProductKey("a", 7))).isNull()
    assertThat(products.lookups()).isZero()
  }

  @Test
  fun suspendFunctionGetsThePossibleOfSeveralKeys() = runBlocking<Unit> {
    assertThat(products.findAll(listOf(7, 999, 8))).extracting<Long> { it.id }.containsExactly(7, 8)
    assertThat(products.lookups()).isEqualTo(2)
  }

  @Test
  fun listOfNullableElementsKeepsThePositionsOfItsKeys() {
    assertThat(products.findEach(listOf(7, 999, 8)).map { it?.id }).containsExactly(7, null, 8)
    assertThat(products.lookups()).isEqualTo(2)
  }

  @Test
  fun valueClassIsTheValueWithin() {
    assertThat(products.findById(ProductId(999))).isNull()
    assertThat(products.lookups()).isZero()
    assertThat(products.findById(ProductId(7))?.name).isEqualTo("product 7")
    products.save(Draft(ProductId(201), ProductId(202)))
    assertThat(guards.guard("products").checkAll(listOf(201, 202)))
      .containsOnly(Membership.POSSIBLY_PRESENT)
  }

  @Test
  fun suspendFunctionThrowsItsOwnException() {
    assertThatIllegalStateException()
      .isThrownBy { runBlocking { products.findFailing(7) } }
      .withMessageContaining("no row 7 today")
  }

  @Test
  fun suspendWriteIsFollowedToItsEnd() = runBlocking<Unit> {
    products.save(Product(500, "five hundred"))
    val guard = guards.guard("products")
    assertThat(guard.check(500L)).isEqualTo(Membership.POSSIBLY_PRESENT)
    assertThat(products.find(500)?.name).isEqualTo("five hundred")
    products.delete(500)
    assertThat(products.find(500)).isNull()
  }

  open class NeverNull {
    @BloomGuarded(filter = "products", key = "#id")
    open fun find(id: Long): Product = Product(id, "")
  }

  open class NeverNullSuspending {
    @BloomGuarded(filter = "products", key = "#id")
    open suspend fun find(id: Long): Product = Product(id, "")
  }

  open class Flowing {
    @BloomGuarded(filter = "products", key = "#id")
    open fun find(id: Long): Flow<Product> = emptyFlow()
  }

  open class FlowingSuspending {
    @BloomGuarded(filter = "products", key = "#id")
    open suspend fun find(id: Long): Flow<Product> = emptyFlow()
  }

  open class FlowingWrite {
    @BloomPut(filter = "products", key = "#id")
    open fun save(id: Long): Flow<Product> = emptyFlow()
  }

  open class LateSuspending {
    @BloomPut(filter = "products", key = "#product.id", `when` = When.AFTER)
    open suspend fun save(product: Product) {}
  }

  open class NothingSuspending {
    @BloomGuarded(filter = "products", key = "#id")
    open suspend fun run(id: Long) {}
  }

  open class Closed {
    @BloomGuarded(filter = "products", key = "#id")
    fun find(id: Long): Product? = null
  }

  @ParameterizedTest
  @ValueSource(
    classes =
      [
        NeverNull::class,
        NeverNullSuspending::class,
        Flowing::class,
        FlowingSuspending::class,
        FlowingWrite::class,
        LateSuspending::class,
        NothingSuspending::class,
        Closed::class,
      ]
  )
  fun isRefusedAtTheStart(bean: Class<*>) {
    val because =
      mapOf(
        NeverNull::class.java to "never returns null",
        NeverNullSuspending::class.java to "never returns null",
        Flowing::class.java to "Flow",
        FlowingSuspending::class.java to "Flow",
        FlowingWrite::class.java to "Flow",
        LateSuspending::class.java to "no reactive transactions",
        NothingSuspending::class.java to "nothing to guard",
        Closed::class.java to "final method",
      )
    val thrown = catchThrowable {
      SpringApplicationBuilder(KotlinApplication::class.java, bean)
        .web(WebApplicationType.NONE)
        .run()
        .close()
    }
    assertThat(NestedExceptionUtils.getMostSpecificCause(thrown))
      .isInstanceOf(StartRefusedException::class.java)
      .hasMessageContaining(bean.name)
      .hasMessageContaining(because[bean])
  }
}
