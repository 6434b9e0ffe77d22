// The screens of experiments.

import { one, whenRead } from "./dom";
import { studyForm } from "./study-form";
import { studyScreen } from "./study-run";

whenRead(() => {
  const form = one<HTMLFormElement>("#study-form");
  if (form) studyForm(form);
  const study = one("#study");
  if (study) studyScreen(study);
});
