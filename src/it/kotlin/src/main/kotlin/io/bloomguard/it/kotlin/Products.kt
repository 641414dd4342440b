package io.bloomguard.it.kotlin

import io.bloomguard.annotation.BloomEvict
import io.bloomguard.annotation.BloomGuarded
import io.bloomguard.annotation.BloomPut
import io.bloomguard.annotation.OnAbsent
import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.atomic.AtomicInteger
import kotlinx.coroutines.delay
import kotlinx.coroutines.yield
import org.springframework.stereotype.Repository

data class Product(val id: Long, val name: String)

data class ProductKey(val tenant: String, val number: Long)

@JvmInline value class ProductId(val number: Long)

/** The second is an object to the JVM, the first a number. */
data class Draft(val id: ProductId, val parent: ProductId?)

/** Lookups and writes in the forms that Kotlin has. */
@Repository
class Products {

  private val rows = ConcurrentHashMap<Long, Product>()
  private val lookups = AtomicInteger()

  fun lookups(): Int = lookups.get()

  /** Fills the rows behind the guard's back. */
  fun fill() = (1L..100L).forEach { rows[it] = Product(it, "product $it") }

  @BloomGuarded(filter = "products", key = "#id", cache = "products")
  fun find(id: Long): Product? = lookUp(id)

  @BloomGuarded(filter = "products", key = "#id", cache = "products", onAbsent = OnAbsent.THROW)
  fun get(id: Long): Product = lookUp(id)!!

  @BloomGuarded(filter = "products", key = "#id", cache = "suspended")
  suspend fun findSuspending(id: Long): Product? {
    yield()
    return lookUp(id)
  }

  @BloomGuarded(filter = "products", key = "#id", cache = "slow")
  suspend fun findSlowly(id: Long): Product? {
    delay(50)
    return lookUp(id)
  }

  @BloomGuarded(filter = "products", key = "#id", cache = "exists")
  suspend fun existsById(id: Long): Boolean = lookUp(id) != null

  @BloomGuarded(filter = "products", key = "#key.tenant + ':' + #key.number", cache = "keyed")
  suspend fun findByKey(key: ProductKey): Product? = lookUp(key.number)

  @BloomGuarded(filter = "products", key = "#ids", cache = "several")
  suspend fun findAll(ids: List<Long>): List<Product> = ids.mapNotNull { lookUp(it) }

  /** Null for a key without a row, as its type says. */
  @BloomGuarded(filter = "products", key = "#ids")
  fun findEach(ids: List<Long>): List<Product?> = ids.map { lookUp(it) }

  @BloomGuarded(filter = "products", key = "#id", cache = "products")
  fun findById(id: ProductId): Product? = lookUp(id.number)

  @BloomPut(filter = "products", key = "#draft.id")
  @BloomPut(filter = "products", key = "#draft.parent")
  fun save(draft: Draft) {}

  @BloomGuarded(filter = "products", key = "#id", cache = "failing")
  suspend fun findFailing(id: Long): Product? {
    yield()
    error("no row $id today")
  }

  @BloomPut(filter = "products", key = "#product.id")
  suspend fun save(product: Product) {
    yield()
    // A reader of this moment must leave no null entry behind the write.
    check(find(product.id) == null)
    rows[product.id] = product
  }

  @BloomEvict(filter = "products", key = "#id")
  suspend fun delete(id: Long) {
    yield()
    rows.remove(id)
  }

  private fun lookUp(id: Long): Product? {
    lookups.incrementAndGet()
    return rows[id]
  }
}
