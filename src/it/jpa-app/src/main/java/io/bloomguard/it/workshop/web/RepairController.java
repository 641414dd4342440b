package io.bloomguard.it.workshop.web;

import io.bloomguard.it.workshop.data.RepairRepository;
import io.bloomguard.it.workshop.service.NotFoundException;
import io.bloomguard.it.workshop.service.Repairs;
import jakarta.validation.Valid;
import jakarta.validation.constraints.NotBlank;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.validation.BindingResult;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.ModelAttribute;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;

/** Pages of repairs. */
@Controller
class RepairController {

  private final Repairs repairs;
  private final RepairRepository repository;

  RepairController(Repairs repairs, RepairRepository repository) {
    this.repairs = repairs;
    this.repository = repository;
  }

  /** What is asked of who brings a bike. */
  record Complaint(@NotBlank String frameNumber, @NotBlank String text) {}

  @GetMapping("/repairs/new")
  String form(@ModelAttribute("complaint") Complaint complaint) {
    return "repairForm";
  }

  @PostMapping("/repairs/new")
  String open(@Valid @ModelAttribute("complaint") Complaint complaint, BindingResult result) {
    if (result.hasErrors()) {
      return "repairForm";
    }
    return "redirect:/repairs/" + repairs.open(complaint.frameNumber(), complaint.text()).getId();
  }

  /** Shows lines and bike, which are loaded as the page asks for them. */
  @GetMapping("/repairs/{id}")
  String show(@PathVariable Long id, Model model) {
    model.addAttribute(
        "repair",
        repository
            .findById(id)
            .orElseThrow(() -> new NotFoundException("There is no such repair")));
    return "repair";
  }
}
