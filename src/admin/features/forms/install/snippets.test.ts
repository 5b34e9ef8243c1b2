import { describe, expect, it } from 'vitest'
import type { FormField } from '#shared/forms/fields.ts'
import { aForm } from '../testing.ts'
import { fetchSnippet, htmlSnippet, reactSnippet } from './snippets.ts'

const noText = { ja: '', en: '' }
const common = { help: noText, required: false, message: noText }
const named = (name: string, ja: string, en = '') => ({ ...common, name, label: { ja, en } })

const everyField: FormField[] = [
  { ...named('お名前', 'お名前', 'Name'), type: 'text', required: true, maxLength: 40, pattern: '\\d{3}' },
  { ...named('message', '内容'), type: 'textarea', help: { ja: '5行まで', en: '' } },
  { ...named('email', 'メール', 'Email'), type: 'email', required: true },
  { ...named('tel', '電話'), type: 'phone' },
  { ...named('people', '人数'), type: 'number', integer: true, min: 1, max: 8 },
  { ...named('day', '希望日'), type: 'date' },
  {
    ...named('plan', 'プラン'),
    type: 'choice',
    display: 'radio',
    required: true,
    options: [{ value: 'a&b', label: { ja: '"A" & B', en: '' } }],
  },
  {
    ...named('size', '大きさ'),
    type: 'choice',
    display: 'select',
    options: [{ value: 's', label: { ja: '小', en: 'S' } }],
  },
  { ...named('topics', '話題'), type: 'checkboxes', options: [{ value: 'x', label: { ja: 'X', en: '' } }] },
  { ...named('cv', '履歴書'), type: 'file', accept: '.pdf', maxFiles: 2 },
  {
    ...named('agree', '<規約>に同意'),
    type: 'consent',
    required: true,
    link: 'https://example.com/?a=1&b=2',
  },
]

describe('htmlSnippet', () => {
  it('writes each type of field with its label and attributes', () => {
    expect(htmlSnippet(aForm({ fields: everyField }), 'ja')).toBe(`<form
  action="https://acme.form.example.com/v1/Ab3_-xYz9"
  method="post"
  enctype="multipart/form-data"
  accept-charset="UTF-8"
  id="imori-Ab3_-xYz9">
  <p>
    <label for="form-Ab3_-xYz9-field-1">お名前 <small>必須</small></label>
    <input
      type="text"
      id="form-Ab3_-xYz9-field-1"
      name="お名前"
      required
      maxlength="40"
      pattern=".*(?:\\d{3}).*"
      autocomplete="name">
  </p>
  <p>
    <label for="form-Ab3_-xYz9-message">内容</label>
    <textarea
      id="form-Ab3_-xYz9-message"
      name="message"
      aria-describedby="form-Ab3_-xYz9-message-help"
      rows="6"></textarea>
    <small id="form-Ab3_-xYz9-message-help">5行まで</small>
  </p>
  <p>
    <label for="form-Ab3_-xYz9-email">メール <small>必須</small></label>
    <input type="email" id="form-Ab3_-xYz9-email" name="email" required autocomplete="email">
  </p>
  <p>
    <label for="form-Ab3_-xYz9-tel">電話</label>
    <input type="tel" id="form-Ab3_-xYz9-tel" name="tel" autocomplete="tel">
  </p>
  <p>
    <label for="form-Ab3_-xYz9-people">人数</label>
    <input type="number" id="form-Ab3_-xYz9-people" name="people" min="1" max="8" step="1">
  </p>
  <p>
    <label for="form-Ab3_-xYz9-day">希望日</label>
    <input type="date" id="form-Ab3_-xYz9-day" name="day">
  </p>
  <fieldset>
    <legend>プラン <small>必須</small></legend>
    <label><input type="radio" name="plan" value="a&amp;b" required> "A" &amp; B</label>
  </fieldset>
  <p>
    <label for="form-Ab3_-xYz9-size">大きさ</label>
    <select id="form-Ab3_-xYz9-size" name="size">
      <option value="">選択してください</option>
      <option value="s">小</option>
    </select>
  </p>
  <fieldset>
    <legend>話題</legend>
    <label><input type="checkbox" name="topics" value="x"> X</label>
  </fieldset>
  <p>
    <label for="form-Ab3_-xYz9-cv">履歴書</label>
    <input type="file" id="form-Ab3_-xYz9-cv" name="cv" accept=".pdf" multiple>
  </p>
  <p>
    <label><input type="checkbox" name="agree" value="true" required> &lt;規約&gt;に同意 <small>必須</small></label>
    <a href="https://example.com/?a=1&amp;b=2" target="_blank">詳しく見る</a>
  </p>
  <button type="submit">送信する</button>
</form>
`)
  })

  it('writes example fields for a form without fields, without an encoding for files', () => {
    const html = htmlSnippet(aForm({ fields: [] }), 'en')
    expect(html).toContain('<label for="form-Ab3_-xYz9-message">Message <small>Required</small></label>')
    expect(html).not.toContain('enctype')
  })
})

describe('fetchSnippet', () => {
  it('escapes the thank-you text, so that it cannot end the script', () => {
    const thanksMessage = { ja: '</script><b>"ありがとう"', en: '' }
    const script = fetchSnippet(aForm({ thanksMessage }), 'en')
    expect(script.match(/<\/script>/g)).toHaveLength(1)
    expect(script).toContain('\\u003c/script>\\u003cb>\\"ありがとう\\"')
  })
})

describe('the snippets of two forms on one page', () => {
  it('have different ids and no constants in common', () => {
    const idsOf = (formId: string) => {
      const form = aForm({ formId })
      const page = htmlSnippet(form, 'ja') + fetchSnippet(form, 'ja')
      const script = page
        .slice(page.indexOf('<script>') + '<script>'.length, page.indexOf('</script>'))
        .trim()
      expect([script[0], script.at(-1)]).toEqual(['{', '}'])
      return Array.from(page.matchAll(/ id="([^"]+)"/g), ([, id]) => id)
    }
    const first = idsOf('Ab3_-xYz9')
    const second = idsOf('Zz9_-aBc1')
    expect(first).toHaveLength(5)
    expect(new Set([...first, ...second]).size).toBe(10)
  })
})

describe('reactSnippet', () => {
  it('writes attributes and texts as JSX', () => {
    const jsx = reactSnippet(aForm({ fields: everyField }), 'ja')
    expect(jsx.startsWith("'use client'\n")).toBe(true)
    expect(jsx).toContain('<form onSubmit={send}>')
    expect(jsx).toContain('<label htmlFor="form-Ab3_-xYz9-email">{"メール "}<small>必須</small></label>')
    expect(jsx).toContain('maxLength={40}')
    expect(jsx).toContain('pattern={".*(?:\\\\d{3}).*"}')
    expect(jsx).toContain(
      `<label><input type="radio" name="plan" value={"a&b"} required />{" \\"A\\" & B"}</label>`,
    )
    expect(jsx).toContain('<p role="alert" style={{ whiteSpace: \'pre-line\' }}>{problem}</p>')
    expect(jsx).toContain('<button type="submit" disabled={state === \'sending\'}>送信する</button>')
    expect(jsx).not.toContain('accept-charset')
  })
})
