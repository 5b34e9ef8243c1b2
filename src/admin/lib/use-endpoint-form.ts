import { useEffect } from 'react'
import { loadScript } from '#admin/base/reload-guard.ts'
import type { BodyInputOf } from '#shared/contract/endpoint.ts'
import type { EndpointByRoute } from '#shared/contract/index.ts'
import type { Issue } from '#shared/errors.ts'
import { type ApiOptions, type ApiResponse, type ApiRoute, api } from './api.ts'
import { issueText } from './errors.ts'
import { type Errors, type FormTexts, useForm } from './use-form.ts'

type Schemas = typeof import('./contract-schemas.ts')
let schemas: Schemas | undefined

/** Downloads the schemas of request bodies. If that fails, only the server validates. */
async function loadSchemas(): Promise<void> {
  schemas ??= await loadScript(
    () => import('./contract-schemas.ts'),
    () => false,
  ).catch(() => undefined)
}

/** The body of an endpoint, before default values are added. */
export type FormBody<R extends ApiRoute> = NonNullable<BodyInputOf<EndpointByRoute[R]>>

/** The dotted paths of a body's properties: `project`, `project.name`. Items of a list have no paths. */
export type BodyPath<T> = T extends readonly unknown[]
  ? never
  : T extends object
    ? { [K in keyof T & string]: K | `${K}.${BodyPath<NonNullable<T[K]>>}` }[keyof T & string]
    : never

/** The call that sends the body: the route with these parameters, or a function that returns the route's response. */
type Sending<R extends ApiRoute> =
  | (Pick<ApiOptions<R>, 'params'> & { send?: undefined })
  | { params?: undefined; send: (body: FormBody<R>) => Promise<ApiResponse<R>> }

type EndpointFormOptions<R extends ApiRoute, Values extends object> = FormTexts<Values> & {
  values: Values
  toBody: (values: Values) => FormBody<R>
  /**
   * The path of each value in the body. Issues at that path, or below it, are shown at the input. Null for inputs
   * without a message, whose issues are shown above the form.
   */
  paths: { [N in keyof Values & string]: BodyPath<FormBody<R>> | null }
  /** Called after the server has accepted the body. */
  saved: (answer: ApiResponse<R>, values: Values) => Promise<unknown> | unknown
  /**
   * Called with every error of the call before it is shown. Returns `true` if the caller shows the error, so that the
   * form does not.
   */
  failed?: (error: unknown, values: Values) => unknown
  /** Messages for rules that the contract cannot express; they take precedence over the contract's messages. */
  check?: (values: Values) => Errors<Values>
  /** Replaces the default message for an issue at an input; null keeps the default message. */
  issueText?: (issue: Issue, name: keyof Values & string, values: Values) => string | null
  /** Makes the inputs with errors visible after a submit, if they are hidden. The first one then receives the focus. */
  reveal?: (names: readonly (keyof Values & string)[]) => void
  /** Returns the name of the form element that a message concerns. By default, this is the name of the value. */
  inputOf?: (name: keyof Values & string, message: string) => string
  /**
   * Whether only `check` validates the values, as in simple forms of visitors who are not signed in. The schemas are
   * then not downloaded.
   */
  withoutSchema?: boolean
  /** Whether the inputs are read-only and nothing is sent. */
  readOnly?: boolean
} & Sending<R>

/**
 * Returns the state of a form that sends one call of the contract. The contract's schema validates the body in the
 * browser as on the server. The schema is downloaded on the first change, or else on submit. See {@link useForm} for
 * the result.
 */
export function useEndpointForm<R extends ApiRoute, Values extends object>(
  route: R,
  options: EndpointFormOptions<R, Values>,
) {
  type Name = keyof Values & string
  const { values, toBody, paths, saved, failed, check, readOnly = false } = options
  const { withoutSchema = false, codes, texts, reveal, inputOf } = options
  const names = Object.keys(paths) as Name[]

  /** Returns the input for an issue's path: the input whose own path is the longest prefix. */
  const fieldOf = (path: string): Name | undefined =>
    names
      .filter((name) => {
        const own = paths[name]
        return own !== null && (path === own || path.startsWith(`${own}.`))
      })
      .sort((one, other) => (paths[other]?.length ?? 0) - (paths[one]?.length ?? 0))[0]

  const textOf = (issue: Issue, name: Name, now: Values) =>
    options.issueText?.(issue, name, now) ?? issueText(issue)

  function problems(now: Values): Errors<Values> {
    const errors: Errors<Values> = {}
    const issues = withoutSchema ? [] : (schemas?.issuesOfBody(route, toBody(now)) ?? [])
    for (const issue of issues) {
      const name = fieldOf(issue.path)
      if (name !== undefined) errors[name] ??= textOf(issue, name, now)
    }
    for (const [name, message] of Object.entries(check?.(now) ?? {}))
      if (message) errors[name as Name] = message as string
    return errors
  }

  const form = useForm<Values>({
    values,
    readOnly,
    check: problems,
    ...(withoutSchema ? {} : { prepare: loadSchemas }),
    fieldOf,
    issueText: textOf,
    ...(codes ? { codes } : {}),
    ...(texts ? { texts } : {}),
    ...(reveal ? { reveal } : {}),
    ...(inputOf ? { inputOf } : {}),
    submit: async (now) => {
      const body = toBody(now)
      let answer: ApiResponse<R>
      try {
        answer = await (options.send
          ? options.send(body)
          : api(route, { params: options.params, body } as unknown as ApiOptions<R>))
      } catch (error) {
        if (failed?.(error, now) === true) return
        throw error
      }
      await saved(answer, now)
    },
  })

  useEffect(() => {
    if (form.isDirty && !withoutSchema) void loadSchemas()
  }, [form.isDirty, withoutSchema])

  return form
}
