import { Checkbox, Fieldset, Input, Stack } from '@mantine/core'
import { useTranslations } from 'use-intl'
import { type WebhookEvent, webhookEvents } from '#shared/contract/webhooks.ts'

const groups = ['document', 'asset', 'import'] as const

interface EventBoxesProps {
  value: WebhookEvent[]
  onChange: (events: WebhookEvent[]) => void
  error: string | null
}

/** The events of a webhook in groups: a checkbox with a description for each. */
export function EventBoxes({ value, onChange, error }: EventBoxesProps) {
  const t = useTranslations('webhooks')
  return (
    <Stack gap="md">
      {groups.map((group) => (
        <Fieldset key={group} legend={t(`eventGroups.${group}`)}>
          <Stack gap="sm">
            {webhookEvents
              .filter((event) => event.startsWith(`${group}.`))
              .map((event) => (
                <Checkbox
                  key={event}
                  name="events"
                  label={t(`events.${event}.name`)}
                  description={t(`events.${event}.text`)}
                  checked={value.includes(event)}
                  onChange={({ currentTarget: { checked } }) =>
                    onChange(webhookEvents.filter((one) => (one === event ? checked : value.includes(one))))
                  }
                />
              ))}
          </Stack>
        </Fieldset>
      ))}
      {error && <Input.Error role="alert">{error}</Input.Error>}
    </Stack>
  )
}
