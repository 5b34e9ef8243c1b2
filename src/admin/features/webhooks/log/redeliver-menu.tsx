import { Alert, Button, Group, Menu, Radio, Stack, Text, TextInput } from '@mantine/core'
import { IconAlertTriangle, IconChevronDown, IconRefresh } from '@tabler/icons-react'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { confirm } from '#admin/ui/confirm.tsx'
import { Dialog } from '#admin/ui/dialog.tsx'
import { FormStack } from '#admin/ui/form-stack.tsx'
import type { Webhook } from '#shared/contract/webhooks.ts'
import { ResendButton } from './resend-button.tsx'
import { useRedeliver } from './use-redeliver.ts'

/** A menu that sends requests again: all that failed or wait for a retry, or all of a period. */
export function RedeliverMenu({ p, webhook }: { p: string; webhook: Webhook }) {
  const t = useTranslations('webhooks.log.redeliver')
  const [isOpen, setOpen] = useState(false)
  const redeliver = useRedeliver(p, webhook)
  const button = (
    <ResendButton
      webhook={webhook}
      leftSection={<IconRefresh size={16} />}
      rightSection={<IconChevronDown size={14} />}
    >
      {t('title')}
    </ResendButton>
  )
  if (!webhook.enabled) return button
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>{button}</Menu.Target>
        <Menu.Dropdown>
          <Menu.Item
            onClick={() =>
              confirm({
                title: t('failed'),
                message: t('failedText'),
                action: t('action'),
                run: () => redeliver.mutateAsync({ state: 'failed' }),
              })
            }
          >
            {t('failed')}
          </Menu.Item>
          <Menu.Item onClick={() => setOpen(true)}>{t('period')}</Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {isOpen && <PeriodDialog p={p} webhook={webhook} onClose={() => setOpen(false)} />}
    </>
  )
}

/** Returns a time in the browser's time zone, for an input: `2026-11-24T09:30`. */
function localTime(at: Date): string {
  const two = (part: number) => String(part).padStart(2, '0')
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}T${two(at.getHours())}:${two(at.getMinutes())}`
}

function PeriodDialog({ p, webhook, onClose }: { p: string; webhook: Webhook; onClose: () => void }) {
  const t = useTranslations('webhooks.log.redeliver')
  const common = useTranslations('common')
  const [from, setFrom] = useState(() => localTime(new Date(Date.now() - 3_600_000)))
  const [to, setTo] = useState(() => localTime(new Date(Date.now() + 60_000)))
  const redeliver = useRedeliver(p, webhook)
  const [which, setWhich] = useState('failed')
  const isOrdered = from !== '' && to !== '' && new Date(from) < new Date(to)
  return (
    <Dialog onClose={onClose} title={t('period')}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (!isOrdered) return
          const data = {
            from: new Date(from).toISOString(),
            to: new Date(to).toISOString(),
            ...(which === 'failed' && { state: 'failed' as const }),
          }
          redeliver.mutate(data, { onSuccess: onClose })
        }}
      >
        <FormStack>
          <Text size="sm">{t('periodText')}</Text>
          <TextInput
            type="datetime-local"
            label={t('from')}
            value={from}
            onChange={(event) => setFrom(event.currentTarget.value)}
            required
            data-autofocus
          />
          <TextInput
            type="datetime-local"
            label={t('to')}
            value={to}
            onChange={(event) => setTo(event.currentTarget.value)}
            error={isOrdered ? null : t('order')}
            required
          />
          <Radio.Group label={t('which')} value={which} onChange={setWhich}>
            <Stack gap="xs" mt={6}>
              <Radio value="failed" label={t('onlyFailed')} />
              <Radio value="all" label={t('everything')} />
            </Stack>
          </Radio.Group>
          <Alert color="orange" variant="light" icon={<IconAlertTriangle size={18} />}>
            {t('again')}
          </Alert>
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={onClose}>
              {common('cancel')}
            </Button>
            <Button type="submit" loading={redeliver.isPending} disabled={!isOrdered}>
              {t('action')}
            </Button>
          </Group>
        </FormStack>
      </form>
    </Dialog>
  )
}
