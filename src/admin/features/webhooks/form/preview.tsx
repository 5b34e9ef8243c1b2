import { Button, Group, Select, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { ApiError, api } from '#admin/lib/api.ts'
import { errorText } from '#admin/lib/errors.ts'
import { CodeBlock } from '#admin/ui/code-block.tsx'
import { FormProblem } from '#admin/ui/form-problem.tsx'
import type { WebhookEvent } from '#shared/contract/webhooks.ts'
import { prettyJson } from '../pretty-json.ts'
import classes from '../webhooks.module.css'
import { bodyIssueText } from './body-issue.ts'
import { toBody, type Values } from './values.ts'

/** Shows the body as it would be sent for one of the selected events. */
export function Preview({ p, values }: { p: string; values: Values }) {
  const t = useTranslations('webhooks.form.preview')
  const event = useTranslations('webhooks.events')
  const [chosen, setChosen] = useState<WebhookEvent | null>(null)
  const shown = values.events.find((one) => one === chosen) ?? values.events[0]
  const { body = null, targets = null, batchSeconds = 0, headers: all = [] } = toBody(values).data
  // The other headers do not affect the body, and may be incomplete.
  const headers = all.filter(({ name }) => name.toLowerCase() === 'content-type')
  const { includesBefore, includesAfter } = values
  const asked = shown && { body, event: shown, targets, includesBefore, includesAfter, batchSeconds, headers }
  const { mutate, data, error, isPending, variables } = useMutation({
    mutationFn: (of: NonNullable<typeof asked>) =>
      api('POST /api/project/{p}/webhook:preview', { params: { p }, body: { data: of } }),
    meta: { ownErrors: true },
  })
  const [issue] = error instanceof ApiError ? error.issues : []
  // A preview of earlier values is hidden once a value has changed.
  const isCurrent = JSON.stringify(variables) === JSON.stringify(asked)
  return (
    <div>
      <Group align="flex-end" gap="sm">
        <Select
          label={t('event')}
          data={values.events.map((value) => ({ value, label: event(`${value}.name`) }))}
          value={shown ?? null}
          onChange={(value) => setChosen(value as WebhookEvent | null)}
          allowDeselect={false}
          disabled={values.events.length === 0}
        />
        <Button
          variant="default"
          loading={isPending}
          disabled={!asked}
          onClick={() => asked && mutate(asked)}
        >
          {t('show')}
        </Button>
      </Group>
      <div aria-live="polite" className={classes.result}>
        {isCurrent && error && (
          <FormProblem text={issue ? bodyIssueText(issue, values.body) : errorText(error)} />
        )}
        {isCurrent && data && !error && (
          <>
            <Text size="sm">
              {t('title')}
              {data.isReal ? t('real') : t('example')}
            </Text>
            <CodeBlock code={prettyJson(data.body)} copyLabel={t('copy')} />
          </>
        )}
      </div>
    </div>
  )
}
