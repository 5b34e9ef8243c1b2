import { type ChangeEvent, type FormEvent, type KeyboardEvent, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import type { ErrorCode, Issue } from '#shared/errors.ts'
import { useAfterPress } from './after-press.ts'
import { ApiError } from './api.ts'
import { isComposing } from './composing.ts'
import { type ErrorTexts, errorText, issueText } from './errors.ts'

export type Errors<Values> = Partial<Record<keyof Values & string, string | null>>

export interface FormTexts<Values extends object> {
  /** Error codes that are shown at one input: `{ SpaceUidIsAlreadyInUse: 'uid' }`. */
  codes?: Partial<Record<ErrorCode, keyof Values & string>>
  /** Messages that replace the default messages of error codes. */
  texts?: ErrorTexts
}

interface Options<Values extends object> extends FormTexts<Values> {
  values: Values
  /** Sends the values. Errors that it throws are shown at the inputs or above the form. */
  submit: (values: Values) => Promise<void>
  /** Returns messages for invalid inputs, which prevent sending. */
  check?: (values: Values) => Errors<Values>
  /** Loads the data that `check` needs, if it is not loaded yet. */
  prepare?: () => Promise<void>
  /** Maps an issue's path to an input. By default, this is the input with the name of the path's last part. */
  fieldOf?: (path: string) => (keyof Values & string) | undefined
  issueText?: (issue: Issue, name: keyof Values & string, values: Values) => string
  /** Makes the inputs with errors visible after a submit, if they are hidden. The first one then receives the focus. */
  reveal?: (names: readonly (keyof Values & string)[]) => void
  /** Returns the name of the form element that a message concerns. By default, this is the name of the value. */
  inputOf?: (name: keyof Values & string, message: string) => string
  readOnly?: boolean
}

/** Splits issues into messages at inputs and messages about the whole form. */
function place<Values extends object>(
  issues: Issue[],
  values: Values,
  { fieldOf, issueText: textOf = issueText }: Options<Values>,
) {
  const errors: Errors<Values> = {}
  const others: string[] = []
  for (const issue of issues) {
    const field = fieldOf ? fieldOf(issue.path) : lastNameOf(issue.path, values)
    if (field !== undefined) errors[field] ??= textOf(issue, field, values)
    else others.push(issue.path ? `${issue.path}: ${issueText(issue)}` : issueText(issue))
  }
  return { errors, others }
}

const lastNameOf = <Values extends object>(path: string, values: Values) => {
  const name = path.split('.').at(-1) ?? ''
  return Object.hasOwn(values, name) ? (name as keyof Values & string) : undefined
}

/** Focuses the first form element that has one of these names. */
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
 * Scrolls to the message about the whole form and focuses it. Does nothing if the message is visible while the user is
 * in an input, so that the user can correct the input.
 */
function focusProblem(form: HTMLFormElement): void {
  const problem = form.querySelector<HTMLElement>('[data-form-problem]')
  if (!problem) return
  const { top, bottom } = problem.getBoundingClientRect()
  const isVisible = top >= 0 && bottom <= window.innerHeight
  const isInInput = form.querySelector('input:focus, textarea:focus') !== null
  if (isVisible && isInInput) return
  problem.focus({ preventScroll: true })
  if (!isVisible) problem.scrollIntoView({ block: 'center' })
}

/**
 * Returns the state of a form. Screens use `useEndpointForm`; they use this hook only if the form is not a single call
 * of one endpoint. `field(name)` returns the props of a text input. `values` and `set` serve all other inputs.
 * `problem` is the message above the form.
 *
 * Inputs are validated on submit, and then with every change until a submit succeeds.
 */
export function useForm<Values extends object>(options: Options<Values>) {
  type Name = keyof Values & string
  const { values: initial, submit, codes, texts, check, prepare, reveal, inputOf, readOnly = false } = options
  const [values, setValues] = useState(initial)
  const [sent, setSent] = useState(initial)
  const [touched, setTouched] = useState<ReadonlySet<string>>(new Set())
  const [refused, setRefused] = useState<Errors<Values>>({})
  const [wasSent, setWasSent] = useState(false)
  const [problem, setProblem] = useState<string | null>(null)
  const [saving, setSaving] = useState(false)
  /** A ref, because a second click may come before the form has rendered again after the first one. */
  const busy = useRef(false)
  const checked: Errors<Values> = wasSent ? (check?.(values) ?? {}) : {}
  // A press of a button blurs the focused input, and some inputs change their value on blur. A new message would then
  // move the button before the click.
  const shown = useAfterPress({ checked, refused })

  /** Changes a field without marking it as touched. */
  function set<N extends Name>(name: N, value: Values[N]): void {
    setValues((before) => ({ ...before, [name]: value }))
    setRefused((before) => ({ ...before, [name]: null }))
  }

  function goTo(form: HTMLFormElement, wrong: Errors<Values>): void {
    const names = (Object.keys(wrong) as Name[]).filter((name) => wrong[name])
    if (names.length === 0) return
    if (reveal) flushSync(() => reveal(names))
    focusFirst(
      form,
      names.map((name) => inputOf?.(name, wrong[name] ?? '') ?? name),
    )
  }

  /** Shows a message about the whole form. */
  function showProblem(text: string, form: HTMLFormElement): void {
    flushSync(() => setProblem(text))
    focusProblem(form)
  }

  function show(error: unknown, form: HTMLFormElement): void {
    const field = error instanceof ApiError ? codes?.[error.code as ErrorCode] : undefined
    if (field && error instanceof ApiError && error.issues.length === 0) {
      const wrong = { [field]: errorText(error) } as Errors<Values>
      setRefused(wrong)
      goTo(form, wrong)
      return
    }
    if (!(error instanceof ApiError) || error.issues.length === 0) {
      showProblem(errorText(error, texts), form)
      return
    }
    const { errors, others } = place(error.issues, values, options)
    // If the error code and an issue concern the same input, the message of the error code is more specific
    // (`DuplicatedValue` at `uid`).
    if (field && errors[field]) errors[field] = errorText(error)
    setRefused(errors)
    if (others.length > 0) showProblem(others.join('\n'), form)
    goTo(form, errors)
  }

  /** Returns whether `check` finds an error, and focuses the first wrong input. */
  function isBroken(form: HTMLFormElement): boolean {
    const found: Errors<Values> = check?.(values) ?? {}
    goTo(form, found)
    return Object.values(found).some(Boolean)
  }

  async function onSubmit(event: FormEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault()
    const form = event.currentTarget
    if (busy.current || readOnly) return
    setWasSent(true)
    setProblem(null)
    setRefused({})
    if (isBroken(form)) return
    busy.current = true
    setSaving(true)
    try {
      await prepare?.()
      if (isBroken(form)) return
      await submit(values)
      setSent(values)
      // The form may be reused for the next entry, which is not validated before it is submitted.
      setWasSent(false)
    } catch (error) {
      show(error, form)
    } finally {
      busy.current = false
      setSaving(false)
    }
  }

  const errorOf = (name: Name): string | null => shown.checked[name] ?? shown.refused[name] ?? null
  return {
    values,
    set,
    /**
     * Whether there is input that has not been sent. False while it is being sent, because leaving the page then loses
     * nothing.
     */
    isDirty: !saving && (Object.keys(initial) as Name[]).some((name) => values[name] !== sent[name]),
    /** Returns whether the user typed into the field. */
    touched: (name: Name) => touched.has(name),
    errorOf,
    problem,
    saving,
    readOnly,
    formProps: {
      onSubmit: (event: FormEvent<HTMLFormElement>) => void onSubmit(event),
      // Safari submits the form on the Enter that ends a composition.
      onKeyDown: (event: KeyboardEvent<HTMLFormElement>) => {
        if (event.key === 'Enter' && isComposing(event)) event.preventDefault()
      },
      noValidate: true,
    },
    /** Returns the props of a text input. `also` is called with the typed text. */
    field: (name: Name, also?: (value: string) => void) => ({
      name,
      value: values[name] as string,
      error: errorOf(name),
      ...(readOnly ? { readOnly } : {}),
      onChange: (event: ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) => {
        setTouched((before) => new Set(before).add(name))
        set(name, event.currentTarget.value as Values[Name])
        also?.(event.currentTarget.value)
      },
    }),
  }
}

/** The part of {@link useForm}'s result that the form element needs. */
export type FormState = Pick<
  ReturnType<typeof useForm<Record<string, unknown>>>,
  'isDirty' | 'problem' | 'saving' | 'readOnly' | 'formProps'
>
