import { Radio, Stack, Switch, Text, UnstyledButton } from '@mantine/core'
import { useRef } from 'react'
import { useTranslations } from 'use-intl'
import { FormStack } from '#admin/ui/form-stack.tsx'
import { hiddenLabel } from '#admin/ui/hidden-label.ts'
import classes from '../webhooks.module.css'
import type { WebhookFormState } from './form-state.ts'
import { placeholderNames, placeholders, startingBody, written } from './placeholders.ts'
import { Preview } from './preview.tsx'
import { TemplateInput } from './template-input.tsx'
import { useSuggestions } from './use-suggestions.ts'
import type { Values } from './values.ts'

/** The body of a webhook's requests: the default one, or custom JSON with placeholders. */
export function BodyInput({ p, form }: { p: string; form: WebhookFormState }) {
  const t = useTranslations('webhooks.form.body')
  const { values, set } = form
  function choose(kind: Values['bodyKind']): void {
    set('bodyKind', kind)
    if (kind === 'own' && values.body.trim() === '') set('body', startingBody)
  }
  return (
    <FormStack>
      <Radio.Group
        {...hiddenLabel(t('title'))}
        value={values.bodyKind}
        onChange={(kind) => choose(kind as Values['bodyKind'])}
      >
        <Stack gap={8}>
          <Radio value="default" label={t('default')} description={t('defaultHint')} />
          <Radio value="own" label={t('own')} description={t('ownHint')} />
        </Stack>
      </Radio.Group>
      {values.bodyKind === 'default' ? (
        <>
          <Switch
            label={t('includesAfter')}
            description={t('includesAfterHint')}
            checked={values.includesAfter}
            onChange={(event) => set('includesAfter', event.currentTarget.checked)}
          />
          <Switch
            label={t('includesBefore')}
            description={t('includesBeforeHint')}
            checked={values.includesBefore}
            onChange={(event) => set('includesBefore', event.currentTarget.checked)}
          />
        </>
      ) : (
        <Template p={p} form={form} />
      )}
      <Preview p={p} values={values} />
    </FormStack>
  )
}

function Template({ p, form: { values, set, errorOf } }: { p: string; form: WebhookFormState }) {
  const t = useTranslations('webhooks.form.body')
  const area = useRef<HTMLTextAreaElement>(null)
  const suggestions = useSuggestions(p, values)

  function insert(from: number, to: number, text: string): void {
    const { current } = area
    if (!current) return
    set('body', current.value.slice(0, from) + text + current.value.slice(to))
    const caret = from + text.length
    // Rendering the new value moves the caret to the end, so the caret is set afterwards.
    requestAnimationFrame(() => {
      current.focus()
      current.setSelectionRange(caret, caret)
    })
  }

  return (
    <>
      <TemplateInput
        area={area}
        value={values.body}
        error={errorOf('body')}
        suggestions={suggestions}
        onChange={(body) => set('body', body)}
        onInsert={insert}
      />
      <div>
        <Text size="sm" mb={6} id="webhook-placeholders">
          {t('placeholders')}
        </Text>
        {/* biome-ignore lint/a11y/useSemanticElements: a fieldset would draw a frame around the buttons. */}
        <div className={classes.placeholders} role="group" aria-labelledby="webhook-placeholders">
          {placeholderNames.map((name) => (
            <UnstyledButton
              key={name}
              className={classes.placeholder}
              onClick={() => {
                const { selectionStart = 0, selectionEnd = 0 } = area.current ?? {}
                insert(selectionStart, selectionEnd, written(name))
              }}
            >
              <code>{written(name)}</code>
              <span>{t(`placeholder.${placeholders[name]}`)}</span>
            </UnstyledButton>
          ))}
        </div>
        <Text size="sm" c="dimmed" mt={6}>
          {t('placeholdersHint')}
        </Text>
      </div>
    </>
  )
}
