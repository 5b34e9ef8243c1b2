import { type ChangeEvent, type FormEvent, useState } from 'react'
import type { ErrorCode, Issue } from '#shared/errors.ts'
import { ApiError } from './api.ts'
import { type ErrorTexts, errorText, issueText } from './errors.ts'

type Errors<Values> = Partial<Record<keyof Values & string, string | null>>

interface Options<Values extends object> {
  defaultValues: Values
  /** Sends the values; what it throws comes back as messages at the fields or above the form. */
  submit: (values: Values) => Promise<void>
  /** Error codes that speak of one field: `{ SpaceUidIsAlreadyInUse: 'uid' }`. */
  codes?: Partial<Record<ErrorCode, keyof Values & string>>
  /** What to say instead of an error code's usual sentence. */
  texts?: ErrorTexts
  /** Checks of the browser: a message for each field that cannot be sent as it is. */
  check?: (values: Values) => Errors<Values>
}

/** Finds the field of an issue: the server names the path from its body (`project.uid`), the form its own (`uid`). */
export function fieldOfIssue(path: string, fields: readonly string[]): string | undefined {
  for (let rest = path; ; rest = rest.slice(rest.indexOf('.') + 1)) {
    if (fields.includes(rest)) return rest
    if (!rest.includes('.')) return undefined
  }
}

/** Issues with a field of the form, and the words for those without one. */
function place<Values>(issues: Issue[], fields: readonly string[]) {
  const errors: Errors<Values> = {}
  const others: string[] = []
  for (const issue of issues) {
    const field = fieldOfIssue(issue.path, fields) as (keyof Values & string) | undefined
    if (field !== undefined) errors[field] ??= issueText(issue)
    else others.push(issue.path ? `${issue.path}: ${issueText(issue)}` : issueText(issue))
  }
  return { errors, others }
}

/** Puts the focus into the first input of these names that is in the form. */
function focusFirst(form: HTMLFormElement, names: readonly string[]): void {
  for (const element of form.elements) {
    const name = element.getAttribute('name')
    if (name && names.includes(name) && element instanceof HTMLElement) {
      element.focus()
      return
    }
  }
}

/**
 * A settings form over one call of the contract. `field(name)` are the props of a text input, `values` and `set` serve
 * every other kind, `problem` is what belongs to no field, `onSubmit` goes to the form element. Fields are checked when
 * the form is sent, and from then on with every change.
 */
export function useContractForm<Values extends object>(options: Options<Values>) {
  type Name = keyof Values & string
  const { defaultValues, submit, codes, texts, check } = options
  const [values, setValues] = useState(defaultValues)
  const [sent, setSent] = useState(defaultValues)
  const [touched, setTouched] = useState<ReadonlySet<string>>(new Set())
  const [refused, setRefused] = useState<Errors<Values>>({})
  const [wasSent, setWasSent] = useState(false)
  const [problem, setProblem] = useState<string | null>(null)
  const [saving, setSaving] = useState(false)
  const fields = Object.keys(defaultValues)
  const checked: Errors<Values> = wasSent ? (check?.(values) ?? {}) : {}

  /** Changes a field from code: nobody typed it. */
  function set<N extends Name>(name: N, value: Values[N]): void {
    setValues((before) => ({ ...before, [name]: value }))
    setRefused((before) => ({ ...before, [name]: null }))
  }

  function show(error: unknown, form: HTMLFormElement): void {
    const field = error instanceof ApiError ? codes?.[error.code as ErrorCode] : undefined
    if (field && error instanceof ApiError && error.issues.length === 0) {
      setRefused({ [field]: errorText(error) } as Errors<Values>)
      focusFirst(form, [field])
      return
    }
    if (!(error instanceof ApiError) || error.issues.length === 0) {
      setProblem(errorText(error, texts))
      return
    }
    const { errors, others } = place<Values>(error.issues, fields)
    // The code says more than the issue does (`DuplicatedValue` at `uid`), where it speaks of the same field.
    if (field && errors[field]) errors[field] = errorText(error)
    setRefused(errors)
    setProblem(others.length > 0 ? others.join('\n') : null)
    focusFirst(form, Object.keys(errors))
  }

  async function onSubmit(event: FormEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault()
    const form = event.currentTarget
    if (saving) return
    setWasSent(true)
    setProblem(null)
    setRefused({})
    const broken = Object.entries(check?.(values) ?? {}).filter(([, message]) => message)
    if (broken.length > 0) {
      focusFirst(
        form,
        broken.map(([name]) => name),
      )
      return
    }
    setSaving(true)
    try {
      await submit(values)
      setSent(values)
      // A form that is emptied for the next entry begins anew.
      setWasSent(false)
    } catch (error) {
      show(error, form)
    } finally {
      setSaving(false)
    }
  }

  const errorOf = (name: Name): string | null => checked[name] ?? refused[name] ?? null
  return {
    values,
    set,
    /** Was something entered that has not been sent? While it is being sent nothing is lost by leaving. */
    isDirty: !saving && fields.some((name) => values[name as Name] !== sent[name as Name]),
    /** Did the person type into the field? */
    touched: (name: Name) => touched.has(name),
    errorOf,
    problem,
    saving,
    onSubmit,
    /** Props of a text input; `also` hears what was typed. */
    field: (name: Name, also?: (value: string) => void) => ({
      name,
      value: values[name] as string,
      error: errorOf(name),
      onChange: (event: ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) => {
        setTouched((before) => new Set(before).add(name))
        set(name, event.currentTarget.value as Values[Name])
        also?.(event.currentTarget.value)
      },
    }),
  }
}
