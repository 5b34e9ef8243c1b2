import { Button, CloseButton, Paper, Text } from '@mantine/core'
import { IconInfoCircle } from '@tabler/icons-react'
import type { Ref } from 'react'
import { useTranslations } from 'use-intl'
import classes from './fields.module.css'

export interface NoticeContent {
  text: string
  /** A button after the text. Pressing the button also closes the notice. */
  action?: { label: string; run: () => void }
}

interface NoticeProps {
  ref?: Ref<HTMLDivElement>
  content: NoticeContent | null
  onClose: () => void
}

/**
 * An editor's message about the last action, sticky at the lower edge. The user can close the notice or run its action.
 */
export function Notice({ ref, content, onClose }: NoticeProps) {
  const common = useTranslations('common')
  return (
    <div ref={ref} role="status" data-notice className={classes.notice}>
      {content && (
        <Paper withBorder shadow="md" className={classes.noticeBody}>
          <IconInfoCircle size={18} aria-hidden="true" />
          <div className={classes.noticeText}>
            <Text size="sm">{content.text}</Text>
            {content.action && (
              <Button
                size="compact-sm"
                variant="light"
                onClick={() => {
                  content.action?.run()
                  onClose()
                }}
              >
                {content.action.label}
              </Button>
            )}
          </div>
          <CloseButton size="sm" aria-label={common('close')} onClick={onClose} />
        </Paper>
      )}
    </div>
  )
}
