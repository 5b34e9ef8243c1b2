import { Menu } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTranslations } from 'use-intl'
import { type SubmissionState, submissionStates } from '#shared/forms/fields.ts'
import { stateLooks } from './submission-words.ts'

interface StateMenuProps {
  /** The current state, which cannot be chosen. Omitted: several submissions. */
  current?: SubmissionState
  onChoose: (state: SubmissionState) => void
  /** The button that opens the menu. */
  children: ReactNode
}

/** A menu with the states of submissions. */
export function StateMenu({ current, onChoose, children }: StateMenuProps) {
  const t = useTranslations('forms.inbox')
  return (
    <Menu>
      <Menu.Target>{children}</Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{t('changeState')}</Menu.Label>
        {submissionStates.map((state) => {
          const { icon: Icon, color } = stateLooks[state]
          return (
            <Menu.Item
              key={state}
              leftSection={
                <Icon size={16} color={`var(--mantine-color-${color}-filled)`} aria-hidden="true" />
              }
              disabled={state === current}
              onClick={() => onChoose(state)}
            >
              {t(`states.${state}`)}
            </Menu.Item>
          )
        })}
      </Menu.Dropdown>
    </Menu>
  )
}
