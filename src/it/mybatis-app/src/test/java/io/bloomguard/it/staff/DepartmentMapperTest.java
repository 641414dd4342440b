package io.bloomguard.it.staff;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.mybatis.spring.boot.test.autoconfigure.MybatisTest;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.jdbc.test.autoconfigure.AutoConfigureTestDatabase;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

/** The slice of mappers, which a starter among the dependencies leaves as it is. */
@MybatisTest
@AutoConfigureTestDatabase(replace = AutoConfigureTestDatabase.Replace.NONE)
class DepartmentMapperTest {

  @Autowired private DepartmentMapper departments;

  @DynamicPropertySource
  static void database(DynamicPropertyRegistry registry) {
    RealMariaDb.register(registry);
  }

  @Test
  void aRowIsFoundWithinTheTransactionOfTheTest() {
    assertThat(departments.findByCode("NEW")).isEmpty();
    departments.insert(new Department("NEW", "new"));
    assertThat(departments.findByCode("NEW")).isPresent();
    assertThat(departments.exists("NEW")).isTrue();
    departments.delete("NEW");
    assertThat(departments.exists("NEW")).isFalse();
  }
}
