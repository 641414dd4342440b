package io.bloomguard.it.workshop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.BDDMockito.given;

import io.bloomguard.it.workshop.data.CustomerRepository;
import io.bloomguard.it.workshop.data.PartRepository;
import io.bloomguard.it.workshop.data.RepairRepository;
import io.bloomguard.it.workshop.model.Customer;
import io.bloomguard.it.workshop.service.Catalogue;
import io.bloomguard.it.workshop.service.Repairs;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.webmvc.test.autoconfigure.WebMvcTest;
import org.springframework.test.context.bean.override.mockito.MockitoBean;
import org.springframework.test.web.servlet.assertj.MockMvcTester;

/** The slice of controllers, with mocks in place of guarded repositories. */
@WebMvcTest
class CustomerControllerTest {

  @Autowired private MockMvcTester mvc;
  @MockitoBean private CustomerRepository customers;
  @MockitoBean private RepairRepository repairs;
  @MockitoBean private PartRepository parts;
  @MockitoBean private Repairs work;
  @MockitoBean private Catalogue catalogue;

  @Test
  void aCustomerIsShown() {
    given(customers.findById(7L))
        .willReturn(Optional.of(new Customer("Jo Kern", "jo@example.org", "Ulm")));
    assertThat(mvc.get().uri("/customers/7")).hasStatusOk().bodyText().contains("Jo Kern");
    assertThat(mvc.get().uri("/customers/8")).hasStatus(404);
  }
}
