import { expect, it } from 'vitest'
import { type BodyTemplate, BodyTooLarge, fillTemplate, readTemplate } from './body-template.ts'

it('fillTemplate throws BodyTooLarge if a template repeats a large value thousands of times', () => {
  const template = readTemplate(`[${Array(4000).fill('{{document}},"{{document}}"').join()}]`) as BodyTemplate
  const ofLength = (length: number) => ({ document: { text: 'x'.repeat(length) } })
  expect(() => fillTemplate(template, ofLength(100_000))).toThrow(BodyTooLarge)
  expect(JSON.parse(fillTemplate(template, ofLength(10)))).toHaveLength(8000)
})

it('fillTemplate inserts a repeated placeholder as text inside strings, and as JSON elsewhere', () => {
  const template = readTemplate('[{{document.a}}, "{{document.a}}", {{ document.a }}]') as BodyTemplate
  expect(fillTemplate(template, { document: { a: ['"'] } })).toBe('[["\\""], "[\\"\\\\\\"\\"]", ["\\""]]')
})
