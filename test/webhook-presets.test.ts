import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import {
  endAfter,
  placeholderNames,
  typedBefore,
  written,
} from '#admin/features/webhooks/form/placeholders.ts'
import { presetNames, presets, unreplacedPart } from '#admin/features/webhooks/form/presets.ts'
import { newValues, toBody } from '#admin/features/webhooks/form/values.ts'
import { toCurl } from '#admin/features/webhooks/log/to-curl.ts'
import { readTemplate } from '#server/features/webhooks/body/body-template.ts'
import { webhookEndpoints } from '#shared/contract/webhooks.ts'

describe.each(presetNames)('the webhook preset %s', (name) => {
  const preset = presets[name]
  it.each(['ja', 'en'] as const)(
    'is valid for the API once its URL and secrets are filled in (%s)',
    (language) => {
      const values = newValues(preset, language, 'all')
      const filled = {
        ...values,
        url: values.url || 'https://example.com/hook',
        headers: values.headers.map((header) => ({
          ...header,
          value: header.isSecret ? `${header.value}secret` : header.value,
        })),
      }
      const { data } = webhookEndpoints.createWebhook.body.parse(toBody(filled))
      if (data.body !== null) expect(readTemplate(data.body)).toHaveProperty('placeholders')
      expect(preset.steps[language].length).toBeGreaterThan(1)
    },
  )
})

it.each(placeholderNames)('readTemplate() accepts the placeholder %s', (name) => {
  expect(readTemplate(`{"a":"${written(name)}","b":${written(name)}}`)).toHaveProperty('placeholders')
})

it.each(presetNames)('unreplacedPart() finds a part in the example URL of %s', (name) => {
  expect(unreplacedPart(presets[name].address)).not.toBeNull()
})

it.each([
  ['https://api.github.com/repos/imori/REPO/dispatches', 'REPO'],
  ['https://gitlab.example.com/api/v4/projects/7/ref/main/trigger/pipeline?token=TOKEN', 'TOKEN'],
  ['https://example.com/?TOKEN=abc', null],
  ['https://example.com/MYTOKEN/repo', null],
])('unreplacedPart() returns the part of %s that is still a placeholder: %s', (url, part) => {
  expect(unreplacedPart(url)).toBe(part)
})

it.each(presetNames.filter((name) => presets[name].kind === 'chat'))(
  'the body for %s describes any event',
  (name) => {
    for (const language of ['ja', 'en'] as const) {
      const body = newValues(presets[name], language, 'all').body
      expect(body).toContain(`{{summary.${language}}}`)
      expect(body).not.toMatch(/\{\{(title|event)\}\}/)
    }
  },
)

it('the body for Slack has placeholders only in plain text', () => {
  const body = JSON.parse(newValues(presets.slack, 'en', 'all').body)
  expect(body).toEqual({
    text: 'Imori',
    blocks: [{ type: 'section', text: { type: 'plain_text', text: '{{summary.en}}' } }],
  })
})

it('typedBefore() and endAfter() find the placeholder at the caret', () => {
  const text = '{"a": "{{doc}} x", "b": {"c": {{ti'
  expect(typedBefore(text, text.indexOf('oc}}'))).toEqual({ from: 7, name: 'd' })
  expect(endAfter(text, text.indexOf('oc}}'))).toBe(text.indexOf(' x'))
  expect(typedBefore(text, text.indexOf(' x'))).toBeNull()
  expect(typedBefore(text, text.indexOf('"c"'))).toBeNull()
  expect(typedBefore(text, text.length)).toEqual({ from: text.length - 4, name: 'ti' })
  expect(endAfter(text, text.length)).toBe(text.length)
})

it('toCurl() quotes the parts of a request for the shell', async () => {
  const body = `{"text":"it's $HOME \`id\` \\ 「いもり」\n"}`
  const headers = [{ name: 'x-site', value: "a'b" }]
  const command = toCurl({ url: 'https://example.com/?a=1&b=$2', method: 'PUT', headers, body })
  // A shell runs the command. `printf` in place of curl prints each argument.
  const { stdout } = await promisify(execFile)('sh', ['-c', command.replace(/^curl/, "printf '%s\\0'")])
  expect(stdout.split('\0').slice(0, -1)).toEqual([
    ...['-X', 'PUT', 'https://example.com/?a=1&b=$2', '-H', "x-site: a'b", '--data-raw', body],
  ])
})
