import type { Form } from '#shared/contract/forms.ts'
import type { FormField } from '#shared/forms/fields.ts'
import { textIn } from '#shared/forms/localized.ts'
import type { Language } from '#shared/languages.ts'
import { type Element, element, type Node, toHtml, toJsx } from './markup.ts'

/** The kinds of code for the pages of a site. */
export const snippetKinds = ['html', 'fetch', 'react'] as const
export type SnippetKind = (typeof snippetKinds)[number]

type SnippetForm = Pick<Form, 'formId' | 'url' | 'fields' | 'thanksMessage'>

const words = {
  ja: {
    send: '送信する',
    choose: '選択してください',
    policy: '詳しく見る',
    required: '必須',
    thanks: '送信しました。ありがとうございます。',
    failed: '送信できませんでした。時間をおいて、もう一度お試しください。',
  },
  en: {
    send: 'Send',
    choose: 'Choose an option',
    policy: 'Read more',
    required: 'Required',
    thanks: 'Thank you. Your message has been sent.',
    failed: 'Your message could not be sent. Try again later.',
  },
}

const text = (ja: string, en: string) => ({ ja, en })
const common = { help: text('', ''), required: true, message: text('', '') }

/** The fields of the code for a form that defines none and accepts every value. */
const exampleFields: readonly FormField[] = [
  { ...common, type: 'text', name: 'name', label: text('お名前', 'Name') },
  { ...common, type: 'email', name: 'email', label: text('メールアドレス', 'Email') },
  { ...common, type: 'textarea', name: 'message', label: text('内容', 'Message') },
]

/** Names of inputs whose contents browsers can fill in, with the token of `autocomplete`. */
const autocompletes: Record<string, string> = {
  name: 'name',
  full_name: 'name',
  fullname: 'name',
  お名前: 'name',
  氏名: 'name',
  company: 'organization',
  organization: 'organization',
  会社名: 'organization',
  zip: 'postal-code',
  postal_code: 'postal-code',
  郵便番号: 'postal-code',
  address: 'street-address',
  住所: 'street-address',
}

/** Returns the id of the form element. It contains the form ID, because a page may have several forms. */
const elementId = ({ formId }: SnippetForm) => `imori-${formId}`

/** Returns an id for the input of a field. Names that are no plain words are replaced by the position. */
const idOf = (formId: string, name: string, index: number): string =>
  `form-${formId}-${/^[A-Za-z][\w-]*$/.test(name) ? name : `field-${index + 1}`}`

/** Returns the pattern for HTML, which must match the whole value. The form's pattern may match a part of it. */
const wholePattern = (pattern: string): string =>
  pattern.startsWith('^') && pattern.endsWith('$') && !pattern.includes('|') ? pattern : `.*(?:${pattern}).*`

function inputOf(field: FormField, id: string, language: Language, described: string | undefined): Element {
  const base = {
    id,
    name: field.name,
    required: field.required,
    'aria-describedby': described,
  }
  switch (field.type) {
    case 'textarea':
      return element('textarea', {
        ...base,
        rows: 6,
        minlength: field.minLength ?? undefined,
        maxlength: field.maxLength ?? undefined,
      })
    case 'email':
      return element('input', { type: 'email', ...base, autocomplete: 'email' })
    case 'phone':
      return element('input', { type: 'tel', ...base, autocomplete: 'tel' })
    case 'number':
      return element('input', {
        type: 'number',
        ...base,
        min: field.min ?? undefined,
        max: field.max ?? undefined,
        step: field.integer ? 1 : 'any',
      })
    case 'date':
      return element('input', { type: 'date', ...base })
    case 'file':
      return element('input', {
        type: 'file',
        ...base,
        accept: field.accept.trim() || undefined,
        multiple: field.maxFiles > 1,
      })
    case 'choice':
      return element(
        'select',
        base,
        element('option', { value: '' }, words[language].choose),
        ...field.options.map((option) =>
          element('option', { value: option.value }, textIn(option.label, language)),
        ),
      )
    default:
      return element('input', {
        type: 'text',
        ...base,
        ...(field.type === 'text'
          ? {
              minlength: field.minLength ?? undefined,
              maxlength: field.maxLength ?? undefined,
              pattern: field.pattern ? wholePattern(field.pattern) : undefined,
            }
          : {}),
        autocomplete: autocompletes[field.name.toLowerCase()],
      })
  }
}

function nodesOf(field: FormField, id: string, language: Language): Node[] {
  const mark = field.required && element('small', {}, words[language].required)
  const label = `${textIn(field.label, language)}${mark ? ' ' : ''}`
  const help = textIn(field.help, language)
  const helpId = `${id}-help`
  const described = help ? helpId : undefined
  const hint = help ? element('small', { id: helpId }, help) : null
  if (field.type === 'consent')
    return [
      element(
        'p',
        {},
        element(
          'label',
          {},
          element('input', {
            type: 'checkbox',
            name: field.name,
            value: 'true',
            required: field.required,
            'aria-describedby': described,
          }),
          ` ${label}`,
          mark,
        ),
        field.link ? element('a', { href: field.link, target: '_blank' }, words[language].policy) : null,
        hint,
      ),
    ]
  if (field.type === 'checkboxes' || (field.type === 'choice' && field.display === 'radio'))
    return [
      element(
        'fieldset',
        { 'aria-describedby': described },
        element('legend', {}, label, mark),
        ...field.options.map((option) =>
          element(
            'label',
            {},
            element('input', {
              type: field.type === 'choice' ? 'radio' : 'checkbox',
              name: field.name,
              value: option.value,
              // HTML has no rule that requires one of several check boxes. Imori checks it.
              required: field.type === 'choice' && field.required,
            }),
            ` ${textIn(option.label, language)}`,
          ),
        ),
        hint,
      ),
    ]
  return [
    element(
      'p',
      {},
      element('label', { for: id }, label, mark),
      inputOf(field, id, language, described),
      hint,
    ),
  ]
}

/** Builds the form element. `attributes` differ between HTML and React. */
function formOf(
  { formId, fields }: SnippetForm,
  language: Language,
  attributes: Element['attributes'],
  end: Node[] = [],
) {
  const shown = fields.length > 0 ? fields : exampleFields
  return element(
    'form',
    attributes,
    ...shown.flatMap((field, index) => nodesOf(field, idOf(formId, field.name, index), language)),
    ...end,
    element('button', { type: 'submit' }, words[language].send),
  )
}

const hasFiles = ({ fields }: SnippetForm) => fields.some(({ type }) => type === 'file')

/** Returns a form in plain HTML, which works without a script. */
export function htmlSnippet(form: SnippetForm, language: Language): string {
  return `${toHtml(
    formOf(form, language, {
      action: form.url,
      method: 'post',
      enctype: hasFiles(form) ? 'multipart/form-data' : undefined,
      'accept-charset': 'UTF-8',
      id: elementId(form),
    }),
  )}\n`
}

/** Returns a message as a literal of JavaScript. `<` is escaped, because a message may contain `</script>`. */
const literal = (value: string) => JSON.stringify(value).replaceAll('<', '\\u003c')

const thanksOf = ({ thanksMessage }: SnippetForm, language: Language) =>
  textIn(thanksMessage, language) || words[language].thanks

/** Code that shows the messages of a refused form with the labels of the fields. */
const showMessages = (
  show: (text: string) => string,
) => `const { message, messages = [] } = await response.json()
        const lines = messages.map((one) => [one.label || one.name, one.message].filter(Boolean).join(': '))
        ${show("lines.join('\\n') || message")}`

/** Returns a script that sends the form of {@link htmlSnippet} without leaving the page. */
export function fetchSnippet(form: SnippetForm, language: Language): string {
  const id = elementId(form)
  // Without the block, the scripts of two forms on a page would declare the same constants.
  return `<p id="${id}-status" role="status" style="white-space: pre-line"></p>
<script>
{
  const form = document.getElementById('${id}')
  const status = document.getElementById('${id}-status')
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    const button = form.querySelector('[type="submit"]')
    button.disabled = true
    status.textContent = ''
    try {
      const response = await fetch(form.action, {
        method: 'POST',
        headers: { Accept: 'application/json' },
        body: new FormData(form),
      })
      if (response.ok) {
        form.reset()
        status.textContent = ${literal(thanksOf(form, language))}
      } else {
        ${showMessages((text) => `status.textContent = ${text}`)}
      }
    } catch {
      status.textContent = ${literal(words[language].failed)}
    }
    button.disabled = false
  })
}
</script>
`
}

/** Returns a component for React that sends the form without leaving the page. */
export function reactSnippet(form: SnippetForm, language: Language): string {
  const problem = element('p', { role: 'alert' }, '{problem}')
  const markup = toJsx(formOf(form, language, { onSubmit: '{send}' }, [problem]), '    ')
    // These are expressions, not texts of the page.
    .replace(
      `<p role="alert">{${JSON.stringify('{problem}')}}`,
      '<p role="alert" style={{ whiteSpace: \'pre-line\' }}>{problem}',
    )
    .replace('<button type="submit">', '<button type="submit" disabled={state === \'sending\'}>')
  return `'use client'

import { useState } from 'react'

export function ContactForm() {
  const [state, setState] = useState('editing')
  const [problem, setProblem] = useState('')

  async function send(event) {
    event.preventDefault()
    const form = event.currentTarget
    setState('sending')
    setProblem('')
    try {
      const response = await fetch(${JSON.stringify(form.url)}, {
        method: 'POST',
        headers: { Accept: 'application/json' },
        body: new FormData(form),
      })
      if (response.ok) {
        setState('sent')
      } else {
        ${showMessages((text) => `setProblem(${text})`)}
        setState('editing')
      }
    } catch {
      setProblem(${JSON.stringify(words[language].failed)})
      setState('editing')
    }
  }

  if (state === 'sent') return <p role="status">{${JSON.stringify(thanksOf(form, language))}}</p>
  return (
${markup}
  )
}
`
}

export const snippets: Record<SnippetKind, (form: SnippetForm, language: Language) => string> = {
  html: htmlSnippet,
  fetch: fetchSnippet,
  react: reactSnippet,
}
