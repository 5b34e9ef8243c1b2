import { Alert } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'

/** The message about a form as a whole. Renders nothing without a text. */
export function FormProblem({ text }: { text: string | null }) {
  if (!text) return null
  return (
    <Alert
      color="red"
      variant="light"
      icon={<IconAlertTriangle size={18} />}
      role="alert"
      style={{ whiteSpace: 'pre-line' }}
    >
      {text}
    </Alert>
  )
}
