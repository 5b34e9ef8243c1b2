import { useState } from 'react'
import { type DefaultValues, type FieldValues, type Path, type UseFormProps, useForm } from 'react-hook-form'
import type { ErrorCode, Issue } from '#shared/errors.ts'
import { ApiError } from './api.ts'
import { errorText, issueText } from './errors.ts'

interface Options<Values extends FieldValues> {
  defaultValues: DefaultValues<Values>
  /** Sends the values; what it throws comes back as messages at the fields or above the form. */
  submit: (values: Values) => Promise<void>
  /** Error codes that speak of one field: `{ SpaceUidIsAlreadyInUse: 'uid' }`. */
  codes?: Partial<Record<ErrorCode, Path<Values>>>
  /** Checks of the browser: a message for each field that cannot be sent as it is. */
  check?: (values: Values) => Partial<Record<Path<Values>, string | null>>
}

/** Finds the field of an issue: the server names the path from its body (`project.uid`), the form its own (`uid`). */
export function fieldOfIssue(path: string, fields: readonly string[]): string | undefined {
  for (let rest = path; ; rest = rest.slice(rest.indexOf('.') + 1)) {
    if (fields.includes(rest)) return rest
    if (!rest.includes('.')) return undefined
  }
}

/** An `Issue` of the server, or of an older or newer one with a code that is not known here. */
function issuesByField(issues: Issue[], fields: readonly string[]) {
  const placed: [string, string][] = []
  const others: string[] = []
  for (const issue of issues) {
    const field = fieldOfIssue(issue.path, fields)
    if (field === undefined) others.push(issue.path ? `${issue.path}: ${issueText(issue)}` : issueText(issue))
    else placed.push([field, issueText(issue)])
  }
  return { placed, others }
}

/**
 * A settings form over one call of the contract. `field(name)` gives an input its registration and error text,
 * `problem` is what belongs to no field, `onSubmit` goes to the form element.
 */
export function useContractForm<Values extends FieldValues>(options: Options<Values>) {
  const { defaultValues, submit, codes, check } = options
  const [problem, setProblem] = useState<string | null>(null)
  const props: UseFormProps<Values> = { defaultValues }
  if (check) {
    props.resolver = (values) => {
      const messages = Object.entries(check(values)).filter(([, message]) => message)
      const errors = Object.fromEntries(messages.map(([name, message]) => [name, { type: 'check', message }]))
      return messages.length > 0 ? ({ values: {}, errors } as never) : ({ values, errors: {} } as never)
    }
  }
  const form = useForm<Values>(props)
  const fields = Object.keys(defaultValues)

  function show(error: unknown): void {
    const field = error instanceof ApiError ? codes?.[error.code as ErrorCode] : undefined
    if (field) {
      form.setError(field, { message: errorText(error) }, { shouldFocus: true })
      return
    }
    if (!(error instanceof ApiError) || error.issues.length === 0) {
      setProblem(errorText(error))
      return
    }
    const { placed, others } = issuesByField(error.issues, fields)
    placed.forEach(([name, message], index) => {
      form.setError(name as Path<Values>, { message }, { shouldFocus: index === 0 })
    })
    setProblem(others.length > 0 ? others.join('\n') : null)
  }

  const onSubmit = form.handleSubmit(async (values) => {
    setProblem(null)
    try {
      await submit(values as unknown as Values)
    } catch (error) {
      show(error)
    }
  })

  return {
    form,
    problem,
    onSubmit,
    saving: form.formState.isSubmitting,
    /** Props of a text input. */
    field: (name: Path<Values>) => {
      const error = form.getFieldState(name, form.formState).error?.message
      return { ...form.register(name), error: error ?? null }
    },
  }
}
