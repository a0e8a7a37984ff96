// The list of common error names.

const ERRORS = ["States.TaskFailed", "States.Timeout", "Lambda.TooManyRequestsException", "Lambda.ServiceException", "Lambda.Unknown"];

/** The error names that fields propose. */
export function ErrorNames() {
  return (
    <datalist id="error-names">
      {ERRORS.map((name) => (
        <option key={name} value={name} />
      ))}
    </datalist>
  );
}
