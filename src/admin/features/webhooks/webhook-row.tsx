import { ActionIcon, Group, Menu, Switch } from '@mantine/core'
import { IconCopy, IconDots, IconPencil } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { useFormatter, useTranslations } from 'use-intl'
import type { Webhook } from '#shared/contract/webhooks.ts'
import { useSwitch } from './use-switch.ts'
import { hostOf, LastResult, useEventWords, WebhookState } from './webhook-state.tsx'
import classes from './webhooks.module.css'

/** A webhook in the list: its events, its latest result, a switch, and a menu. */
export function WebhookRow({ p, webhook, isFull }: { p: string; webhook: Webhook; isFull: boolean }) {
  const t = useTranslations('webhooks')
  const common = useTranslations('common')
  const format = useFormatter()
  const words = useEventWords()
  const turn = useSwitch(p, webhook)
  const { _id: id, name, url, events, enabled, last, failingSince } = webhook
  return (
    <li className={classes.item}>
      <div>
        <Group gap="xs">
          <Link to="/$p/-/webhooks/$webhook" params={{ p, webhook: id }} className={classes.link ?? ''}>
            {name}
          </Link>
          <WebhookState webhook={webhook} />
        </Group>
        <div className={classes.meta}>
          <span className={classes.host}>{hostOf(url)}</span>
          <span>{words(events)}</span>
          <span data-failed={last?.state === 'failed' || undefined}>
            <LastResult last={last} />
          </span>
          {enabled && failingSince && (
            <span data-failed>
              {t('state.failingSince', {
                time: format.dateTime(new Date(failingSince), { dateStyle: 'medium', timeStyle: 'short' }),
              })}
            </span>
          )}
        </div>
      </div>
      <div className={classes.controls}>
        <Switch
          aria-label={t('switched.label', { name })}
          checked={turn.asked ?? enabled}
          onChange={(event) => turn.to(event.currentTarget.checked)}
        />
        <Menu position="bottom-end">
          <Menu.Target>
            <ActionIcon variant="subtle" color="gray" aria-label={t('actionsOf', { name })}>
              <IconDots size={18} />
            </ActionIcon>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Item
              leftSection={<IconPencil size={16} />}
              renderRoot={(props) => (
                <Link {...props} to="/$p/-/webhooks/$webhook/edit" params={{ p, webhook: id }} />
              )}
            >
              {common('edit')}
            </Menu.Item>
            <Menu.Item
              leftSection={<IconCopy size={16} />}
              disabled={isFull}
              renderRoot={(props) => (
                <Link {...props} to="/$p/-/webhooks/new" params={{ p }} search={{ from: id }} />
              )}
            >
              {t('duplicate')}
            </Menu.Item>
          </Menu.Dropdown>
        </Menu>
      </div>
    </li>
  )
}
