package io.bloomguard.it.workshop.web;

import io.bloomguard.it.workshop.data.CustomerRepository;
import io.bloomguard.it.workshop.model.Customer;
import io.bloomguard.it.workshop.service.NotFoundException;
import jakarta.validation.Valid;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.validation.BindingResult;
import org.springframework.web.bind.WebDataBinder;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.InitBinder;
import org.springframework.web.bind.annotation.ModelAttribute;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;

/** Pages of customers. The form changes the entity that it loaded. */
@Controller
class CustomerController {

  private static final String FORM = "customerForm";

  private final CustomerRepository customers;

  CustomerController(CustomerRepository customers) {
    this.customers = customers;
  }

  @InitBinder
  void protectIds(WebDataBinder binder) {
    binder.setDisallowedFields("id", "version", "bikes*");
  }

  /** The customer of the path, into which the form is bound. */
  @ModelAttribute("customer")
  Customer customer(@PathVariable(required = false) Long id) {
    return id == null
        ? new Customer()
        : customers
            .findById(id)
            .orElseThrow(() -> new NotFoundException("There is no such customer"));
  }

  @GetMapping("/customers/new")
  String form() {
    return FORM;
  }

  @PostMapping("/customers/new")
  String create(@Valid @ModelAttribute("customer") Customer customer, BindingResult result) {
    if (!result.hasFieldErrors("email") && customers.existsByEmail(customer.getEmail())) {
      result.rejectValue("email", "taken", "is taken");
    }
    if (result.hasErrors()) {
      return FORM;
    }
    return "redirect:/customers/" + customers.save(customer).getId();
  }

  @GetMapping("/customers/{id}")
  String show() {
    return "customer";
  }

  @GetMapping("/customers/{id}/edit")
  String edit() {
    return FORM;
  }

  @PostMapping("/customers/{id}/edit")
  String update(
      @Valid @ModelAttribute("customer") Customer customer,
      BindingResult result,
      @RequestParam(defaultValue = "-1") int seen) {
    if (seen >= 0 && seen != customer.getVersion()) {
      result.reject("changed", "Somebody else has changed this customer");
    }
    if (result.hasErrors()) {
      return FORM;
    }
    customers.save(customer);
    return "redirect:/customers/" + customer.getId();
  }

  @GetMapping("/customers")
  String find(@RequestParam(defaultValue = "") String name, Model model) {
    model.addAttribute("found", customers.findByNameContainingIgnoreCaseOrderByName(name));
    return "customers";
  }
}
